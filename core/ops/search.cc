#include "core/ops/search.h"

#include "core/gradient.h"
#include "core/ops/comparison.h"
#include "core/ops/fill.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"

namespace tandem {
namespace {

absl::Status InferArg(InferContext& c) {
  ASSIGN_OR_RETURN(const auto value, c.ScalarInt(1));
  const int rank = c.rank(0);
  if (rank < 0) return c.Output(Shape::Unknown());
  if (!value) {
    if (rank == 0) return c.Error("input must have rank 1 or more, is []");
    Shape out;
    for (int i = 0; i < rank - 1; ++i) out.push_back(kUnknownDim);
    return c.Output(std::move(out));
  }
  ASSIGN_OR_RETURN(const int axis, c.Axis(*value, rank, "dimension"));
  if (c.dim(0, axis) == 0) return c.Error("dimension ", axis, " has no elements: ", c.Describe(0));
  Shape out;
  for (int i = 0; i < rank; ++i)
    if (i != axis) out.push_back(c.dim(0, i));
  return c.Output(std::move(out));
}

absl::Status InferTopK(InferContext& c) {
  RETURN_IF_ERROR(c.InputOfRank(1, 0).status());
  ASSIGN_OR_RETURN(Shape out, c.InputOfRankAtLeast(0, 1));
  ASSIGN_OR_RETURN(const auto k, c.ScalarInt(1));
  if (k && *k < 0) return c.Error("k is ", *k, ", must not be negative");
  if (out.known_rank()) {
    const int64_t n = out.back();
    if (k && n >= 0 && *k > n) return c.Error("k is ", *k, ", the last dimension of input has only ", n, ": ", c.Describe(0));
    out[out.rank() - 1] = k ? *k : kUnknownDim;
  }
  RETURN_IF_ERROR(c.Output(0, out));
  return c.Output(1, std::move(out));
}

// dy goes back to the place each value came from; no place gets two.
Tensors TopKGradient(const Recorded& op, std::span<const Tensor> dy) {
  const Shape in = op.input_shape(0);
  if (!in.known_rank() || in.back() < 0)
    ThrowError(InvalidArgument("TopKV2: its gradient needs the last dimension of input to be known, input is ", in.ToString()));
  const Tensor places = OneHot(op.output(1), in.back(), true, false);  // [..., k, n]
  return {Sum(Select(places, ExpandDims(dy[0], -1), 0), -2), Tensor()};
}

}  // namespace

OpSchema ArgMaxSchema() {
  return OpSchema("ArgMax", "The index of the first greatest element along an axis.")
      .Signature("input:T, dimension:Tidx", "output:output_type",
                 "T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8,quint8,qint32,qint16,quint16,bool}; Tidx:type=int32{int16,int32,int64}; output_type:type=int64{int16,uint16,int32,int64}")
      .Traits(kMayFail)
      .Infer(InferArg).NotDifferentiable("indices have no derivative");
}
OpSchema ArgMinSchema() {
  return OpSchema("ArgMin", "The index of the first least element along an axis.")
      .Signature("input:T, dimension:Tidx", "output:output_type",
                 "T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8,quint8,qint32,qint16,quint16,bool}; Tidx:type=int32{int32,int64}; output_type:type=int64{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferArg).NotDifferentiable("indices have no derivative");
}
OpSchema TopKV2Schema() {
  return OpSchema("TopKV2", "The k greatest elements of the last axis, and their indices.")
      .Signature("input:T, k:Tk", "values:T, indices:index_type",
                 "sorted:bool=true; T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64}; Tk:type=int32{int16,int32,int64}; index_type:type=int32{int16,int32,int64}")
      .Traits(kMayFail)
      .Infer(InferTopK).Gradient(TopKGradient).GradientReads("indices");
}

Tensor ArgMax(Operand input, const Tensor& axis, DType output_type) {
  return Run(Op<"ArgMax">(), {input, axis}, {output_type}, input.origin());
}
Tensor ArgMin(Operand input, const Tensor& axis, DType output_type) {
  return Run(Op<"ArgMin">(), {input, axis}, {output_type}, input.origin());
}
TopKResult TopK(Operand input, const Tensor& k, TopKOptions options) {
  const Tensor inputs[] = {ToTensor(input), k};
  Tensors out = RunMany(Op<"TopKV2">(), inputs, {options.sorted, options.index_type}, input.origin());
  return {std::move(out[0]), std::move(out[1])};
}

}  // namespace tandem
