#include "core/ops/gather.h"

#include "core/indexed_slices.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/concat.h"
#include "core/ops/fill.h"
#include "core/ops/nd_index.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"
#include "core/ops/shape_value.h"
#include "core/ops/slice.h"
#include "core/ops/transpose.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

absl::Status InferGather(InferContext& c) {
  ASSIGN_OR_RETURN(auto axis_value, c.ScalarInt(2));
  if (c.rank(2) > 0) return c.Error("axis must be a scalar, is ", c.input(2).ToString());
  if (c.rank(0) == 0) return c.Error("params must have rank 1 or more, is []");
  int64_t batch = c.attr<int64_t>("batch_dims");
  if (c.rank(0) < 0 || c.rank(1) < 0) return absl::OkStatus();
  if (batch < -c.rank(1) || batch > c.rank(1))
    return c.Error("batch_dims is ", batch, ", must be in [", -c.rank(1), ", ", c.rank(1), "]: ", c.Describe(1), ", ", c.Describe(0));
  if (batch < 0) batch += c.rank(1);
  if (batch >= c.rank(0)) return c.Error("batch_dims is ", batch, ", must be less than the rank of params: ", c.Describe(0));
  for (int k = 0; k < batch; ++k)
    if (!Compatible(c.dim(0, k), c.dim(1, k))) return c.Differ(absl::StrCat("batch dimensions ", k), 0, k, 1, k);
  const int rank = c.rank(0) - 1 + c.rank(1) - static_cast<int>(batch);
  if (rank > kMaxRank) return c.Error("the output would have more than ", kMaxRank, " axes");
  Shape out;
  if (!axis_value) {
    for (int k = 0; k < rank; ++k) out.push_back(kUnknownDim);
    return c.Output(std::move(out));
  }
  ASSIGN_OR_RETURN(const int axis, c.Axis(*axis_value, c.rank(0)));
  if (axis < batch) return c.Error("axis is ", axis, ", must be at least batch_dims, which is ", batch);
  for (int k = 0; k < axis; ++k) out.push_back(c.dim(0, k));
  for (int k = static_cast<int>(batch); k < c.rank(1); ++k) out.push_back(c.dim(1, k));
  for (int k = axis + 1; k < c.rank(0); ++k) out.push_back(c.dim(0, k));
  RETURN_IF_ERROR(CheckSize(c, out));
  return c.Output(std::move(out));
}

// The product of dimensions [from, to) of an input: a number where they are known, else computed in the graph.
Tensor DimsProduct(const Recorded& op, int i, int from, int to) {
  const Shape shape = op.input_shape(i);
  int64_t product = 1;
  for (int k = from; k < to; ++k) product = shape[k] < 0 || product < 0 ? -1 : product * shape[k];
  if (product >= 0) return product;
  return Prod(Slice(ShapeOf(op.input(i), kInt64), {from}, {to - from}), 0);
}

// The shape made of scalars, at once where they have values.
Ints ShapeOfScalars(const Tensors& dims) {
  std::vector<int64_t> values;
  for (const Tensor& d : dims) {
    if (d.symbolic()) return Stack(dims);
    values.push_back(d.item<int64_t>());
  }
  return values;
}

// Rows of dy added up by index. Params are [B, A, N, C]: batch axes, axes before `axis`, the axis, axes after it; dy is
// [B, A, M, C]. The batches become one long axis of B * N segments.
Tensors GatherGradient(const Recorded& op, const Tensor& dy) {
  const Shape params = op.input_shape(0), indices = op.input_shape(1);
  const Tensor axis_value = KnownValue(op.input(2));
  if (!axis_value.defined() || !params.known_rank() || !indices.known_rank())
    ThrowError(InvalidArgument("axis and both ranks must be known"));
  int64_t axis = axis_value.item<int64_t>(), batch = op.attr<int64_t>("batch_dims");
  if (axis < 0) axis += params.rank();
  if (batch < 0) batch += indices.rank();
  const int a = static_cast<int>(axis), b = static_cast<int>(batch);
  if (a == 0 && b == 0) return {GradientOfRows(dy, op.input(1), ShapeOfInput(op, 0), params), Tensor(), Tensor()};
  const Tensor B = DimsProduct(op, 0, 0, b), A = DimsProduct(op, 0, b, a), N = DimsProduct(op, 0, a, a + 1),
               C = DimsProduct(op, 0, a + 1, params.rank()), M = DimsProduct(op, 1, b, indices.rank());
  Tensor ids = Reshape(op.input(1), -1);
  if (b > 0) {
    if (ids.dtype() != kInt64) ids = Cast(ids, kInt64);
    ids = Reshape(Reshape(ids, ShapeOfScalars({B, M})) + Reshape(Range(int64_t{0}, Mul(B, N), N), {-1, 1}), -1);
  }
  Tensor rows = Transpose(Reshape(dy, ShapeOfScalars({B, A, M, C})), {0, 2, 1, 3});
  rows = Reshape(rows, ShapeOfScalars({Mul(B, M), A, C}));
  const Tensor sums = UnsortedSegmentSum(rows, ids, Mul(B, N));
  const Tensor dx = Transpose(Reshape(sums, ShapeOfScalars({B, N, A, C})), {0, 2, 1, 3});
  return {Reshape(dx, ShapeOfInput(op, 0)), Tensor(), Tensor()};
}

absl::Status InferGatherNd(InferContext& c) {
  RETURN_IF_ERROR(CheckBadIndicesPolicy(c));
  ASSIGN_OR_RETURN(auto tail, NdTail(c, c.input(0), "params", 1));
  if (!tail || c.rank(1) < 0) return absl::OkStatus();
  return c.Output(*tail);
}

Tensors GatherNdGradient(const Recorded& op, const Tensor& dy) {
  const Tensor indices = NdIndices(op.input(1));
  return {ScatterNd(indices, dy, ShapeOfInput(op, 0, indices.dtype())), Tensor()};
}

absl::Status InferWhere(InferContext& c) { return c.Output({kUnknownDim, c.rank(0) < 0 ? kUnknownDim : c.rank(0)}); }

}  // namespace

OpSchema GatherV2Schema() {
  return OpSchema("GatherV2", "The slices of params along axis that indices name.")
      .Signature("params:Tparams, indices:Tindices, axis:Taxis", "output:Tparams",
                 "batch_dims:int=0; Tparams:type; Tindices:type{int16,int32,int64}; Taxis:type{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferGather).Gradient(GatherGradient).GradientReads("indices, axis");
}
OpSchema GatherNdSchema() {
  return OpSchema("GatherNd", "The slices of params at coordinates: the last axis of indices indexes the first axes of params.")
      .Signature("params:Tparams, indices:Tindices", "output:Tparams",
                 "Tparams:type; Tindices:type{int16,int32,int64}; bad_indices_policy:string=\"\"")
      .Traits(kMayFail)
      .Infer(InferGatherNd).Gradient(GatherNdGradient).GradientReads("indices");
}
OpSchema WhereSchema() {
  return OpSchema("Where", "The coordinates of the elements that are true or not zero, in row-major order.")
      .Signature("input:T", "index:int64",
                 "T:type=bool{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64,bool}")
      .Traits(kKernelAllocates)
      .Infer(InferWhere).NotDifferentiable("its values are positions");
}

Tensor Gather(const Tensor& params, const Tensor& indices, Operand axis, GatherOptions options, Origin origin) {
  return Run(Op<"GatherV2">(), {params, indices, axis}, {options.batch_dims}, origin);
}
Tensor GatherNd(const Tensor& params, const Tensor& indices, Origin origin) {
  return Run(Op<"GatherNd">(), {params, indices}, {""}, origin);
}
Tensor Where(const Tensor& condition, Origin origin) { return Run(Op<"Where">(), {condition}, {}, origin); }

}  // namespace tandem
