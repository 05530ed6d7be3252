#include "core/ops/scatter.h"

#include "core/int_values.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/fill.h"
#include "core/ops/gather.h"
#include "core/ops/likeness.h"
#include "core/ops/nd_index.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"

namespace tandem {

absl::StatusOr<std::optional<Shape>> NdTail(const InferContext& c, const Shape& shape, std::string_view name, int indices) {
  RETURN_IF_ERROR(c.InputOfRankAtLeast(indices, 1).status());
  if (c.rank(indices) < 0 || !shape.known_rank()) return std::optional<Shape>();
  const int last = c.rank(indices) - 1;
  const int64_t depth = c.dim(indices, last);
  if (depth < 0) return std::optional<Shape>();
  if (depth > shape.rank())
    return c.Error(c.Describe(indices, last), " indexes ", depth, " axes, but ", std::string(name), " is ", shape.ToString(), " with ", shape.rank());
  if (last + shape.rank() - depth > kMaxRank) return c.Error("the output would have more than ", kMaxRank, " axes");
  Shape out;
  for (int k = 0; k < last; ++k) out.push_back(c.dim(indices, k));
  for (int k = static_cast<int>(depth); k < shape.rank(); ++k) out.push_back(shape[k]);
  RETURN_IF_ERROR(CheckSize(c, out));
  return std::optional<Shape>(std::move(out));
}

absl::Status CheckBadIndicesPolicy(const InferContext& c) {
  const auto policy = c.attr<std::string_view>("bad_indices_policy");
  for (std::string_view known : {"", "DEFAULT", "ERROR", "IGNORE"})
    if (policy == known) return absl::OkStatus();
  return c.Error("attribute bad_indices_policy is \"", std::string(policy), "\", must be DEFAULT, ERROR, IGNORE or empty");
}

absl::Status CheckNdUpdates(const InferContext& c, const Shape& shape, std::string_view name, int indices, int updates) {
  RETURN_IF_ERROR(CheckBadIndicesPolicy(c));
  ASSIGN_OR_RETURN(auto want, NdTail(c, shape, name, indices));
  if (want && !want->CompatibleWith(c.input(updates)))
    return c.Error(c.Describe(updates), ", must be ", want->ToString(), ": ", c.Describe(indices), ", ", std::string(name), " is ", shape.ToString());
  return absl::OkStatus();
}

Tensor NdIndices(const Tensor& indices) {
  return indices.dtype() == kInt16 || indices.dtype() == kUint16 ? Cast(indices, kInt32) : indices;
}

namespace {

absl::Status InferScatterNd(InferContext& c) {
  ASSIGN_OR_RETURN(Shape shape, ShapeFromValue(c, 2));
  // A shape that is still to be fed is checked when it is there, so that the error can show it.
  if (shape.fully_known()) RETURN_IF_ERROR(CheckNdUpdates(c, shape, "shape", 0, 1));
  return c.Output(std::move(shape));
}
Tensors ScatterNdGradient(const Recorded& op, const Tensor& dy) { return {Tensor(), GatherNd(dy, op.input(0)), Tensor()}; }

absl::Status InferTensorScatterUpdate(InferContext& c) {
  RETURN_IF_ERROR(c.InputOfRankAtLeast(0, 1).status());
  RETURN_IF_ERROR(CheckNdUpdates(c, c.input(0), "tensor", 1, 2));
  return c.Output(c.input(0));
}
Tensors TensorScatterUpdateGradient(const Recorded& op, const Tensor& dy) {
  const Tensor indices = NdIndices(op.input(1));
  const Tensor zeros = Zeros(ShapeOfInput(op, 2), dy.dtype());
  return {TensorScatterUpdate(dy, indices, zeros), Tensor(), GatherNd(dy, indices)};
}

absl::Status InferUnsortedSegmentSum(InferContext& c) {
  RETURN_IF_ERROR(c.InputOfRank(2, 0).status());
  int64_t num = kUnknownDim;
  if (c.value(2)) num = IntValue(*c.value(2), 0);
  if (c.value(2) && num < 0) return c.Error("num_segments is ", num, ", must not be negative");
  if (c.rank(0) < 0 || c.rank(1) < 0) return absl::OkStatus();
  bool fits = c.rank(1) <= c.rank(0);
  for (int k = 0; fits && k < c.rank(1); ++k) fits = Compatible(c.dim(0, k), c.dim(1, k));
  if (!fits) return c.Error("data must begin with the shape of segment_ids: ", c.Describe(0), ", ", c.Describe(1));
  Shape out = {num};
  if (c.rank(0) - c.rank(1) >= kMaxRank) return c.Error("the output would have more than ", kMaxRank, " axes");
  for (int k = c.rank(1); k < c.rank(0); ++k) out.push_back(c.dim(0, k));
  RETURN_IF_ERROR(CheckSize(c, out));
  return c.Output(std::move(out));
}

// Each slice gets the gradient of its segment, those with a negative id zeros.
Tensors UnsortedSegmentSumGradient(const Recorded& op, const Tensor& dy) {
  const Tensor& ids = op.input(1);
  const Shape data = op.input_shape(0), shape = op.input_shape(1);
  if (!data.known_rank() || !shape.known_rank()) ThrowError(InvalidArgument("the ranks of data and segment_ids must be known"));
  if (dy.rank() > 0 && dy.dim(0) == 0) return {Zeros(ShapeOfInput(op, 0), dy.dtype()), Tensor(), Tensor()};
  const Tensor picked = Gather(dy, Maximum(ids, 0));
  // [S...] -> [S..., 1, …], to broadcast over the slices.
  Tensor kept = GreaterEqual(ids, 0);
  for (int k = shape.rank(); k < data.rank(); ++k) kept = ExpandDims(kept, -1);
  return {Select(kept, picked, ZerosLike(picked)), Tensor(), Tensor()};
}

}  // namespace

OpSchema ScatterNdSchema() {
  return OpSchema("ScatterNd", "Zeros of a shape with the updates added at indices.")
      .Signature("indices:Tindices, updates:T, shape:Tindices", "output:T",
                 "T:type; Tindices:type{int16,int32,int64}; bad_indices_policy:string=\"\"")
      .Traits(kMayFail)
      .KernelType("T")
      .Infer(InferScatterNd).Gradient(ScatterNdGradient).GradientReads("indices");
}
OpSchema TensorScatterUpdateSchema() {
  return OpSchema("TensorScatterUpdate", "tensor with updates in place of its slices at indices.")
      .Signature("tensor:T, indices:Tindices, updates:T", "output:T",
                 "T:type; Tindices:type{int16,int32,int64,uint16}; bad_indices_policy:string=\"\"")
      .Traits(kMayFail)
      .Infer(InferTensorScatterUpdate).Gradient(TensorScatterUpdateGradient).GradientReads("indices");
}
OpSchema UnsortedSegmentSumSchema() {
  return OpSchema("UnsortedSegmentSum", "For each segment the sum of the slices of data whose id it is.")
      .Signature("data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
                 "T:type{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64}; Tindices:type{int16,int32,int64}; Tnumsegments:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferUnsortedSegmentSum).Gradient(UnsortedSegmentSumGradient).GradientReads("segment_ids");
}

Tensor ScatterNd(const Tensor& indices, const Tensor& updates, const Ints& shape, Origin origin) {
  const bool widen = indices.dtype() == kInt64 && shape.is_list();
  return Run(Op<"ScatterNd">(), {indices, updates, widen ? shape.as_int64() : shape.tensor()}, {""}, origin);
}
Tensor TensorScatterUpdate(const Tensor& tensor, const Tensor& indices, const Tensor& updates, Origin origin) {
  return Run(Op<"TensorScatterUpdate">(), {tensor, indices, updates}, {""}, origin);
}
Tensor UnsortedSegmentSum(const Tensor& data, const Tensor& segment_ids, Operand num_segments, Origin origin) {
  return Run(Op<"UnsortedSegmentSum">(), {data, segment_ids, num_segments}, {}, origin);
}

}  // namespace tandem
