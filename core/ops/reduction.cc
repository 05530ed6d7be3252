#include "core/ops/reduction.h"

#include <numeric>

#include "core/gradient.h"
#include "core/ops/reduction_axes.h"

namespace tandem {
namespace {

absl::Status InferReduction(InferContext& c) {
  if (c.rank(1) > 1) return c.Error("reduction_indices must be a scalar or a vector, is ", c.input(1).ToString());
  if (c.rank(0) < 0) return c.Output(Shape::Unknown());
  const bool keep_dims = c.attr<bool>("keep_dims");
  const auto axes = c.IntValues(1);
  if (!axes) {
    if (!keep_dims) return c.Output(c.rank(0) == 0 ? Shape() : Shape::Unknown());
    Shape out;
    for (int i = 0; i < c.rank(0); ++i) out.push_back(kUnknownDim);
    return c.Output(std::move(out));
  }
  ASSIGN_OR_RETURN(const AxisMask reduced, ReductionAxes(c.schema().name(), "reduction_indices", *axes, c.dims(0)));
  Shape out;
  for (int i = 0; i < c.rank(0); ++i)
    if (!reduced[i] || keep_dims) out.push_back(reduced[i] ? 1 : c.dim(0, i));
  return c.Output(std::move(out));
}

// What axes stand for when they are left out.
Tensor AllAxes(const Tensor& input) {
  if (input.rank() < 0)
    ThrowError(InvalidArgument("reduction: all axes are asked for, but the rank of input is unknown: say which axes"));
  std::vector<int32_t> axes(input.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return Tensor(axes);
}

Tensor Reduce(OpId op, const Operand& input, const Tensor& axes, ReduceOptions options) {
  const Tensor x = ToTensor(input);
  return Run(op, {x, axes.defined() ? axes : AllAxes(x)}, {options.keep_dims}, input.origin());
}

constexpr const char* kNumbers =
    "keep_dims:bool=false; T:type{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64}; Tidx:type=int32{int32,int64}";
constexpr const char* kOrdered =
    "keep_dims:bool=false; T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8,quint8,qint32,qint16,quint16}; Tidx:type=int32{int32,int64}";

OpSchema Reduction(const char* name, const char* documentation, const char* attrs) {
  return OpSchema(name, documentation)
      .Signature("input:T, reduction_indices:Tidx", "output:T", attrs)
      .Traits(kMayFail)
      .Infer(InferReduction);
}
OpSchema Logical(const char* name, const char* documentation) {
  return OpSchema(name, documentation)
      .Signature("input:bool, reduction_indices:Tidx", "output:bool", "keep_dims:bool=false; Tidx:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferReduction).NotDifferentiable("truth values have no derivative");
}

}  // namespace

OpSchema SumSchema() { return Reduction("Sum", "The sum along axes; integers wrap.", kNumbers); }
OpSchema MeanSchema() { return Reduction("Mean", "The mean along axes; of integers, its whole part.", kNumbers); }
OpSchema ProdSchema() { return Reduction("Prod", "The product along axes; integers wrap.", kNumbers); }
OpSchema MaxSchema() { return Reduction("Max", "The greatest element along axes; NaN wins.", kOrdered); }
OpSchema MinSchema() { return Reduction("Min", "The least element along axes; NaN wins.", kOrdered); }
OpSchema AllSchema() { return Logical("All", "Whether all elements along axes are true."); }
OpSchema AnySchema() { return Logical("Any", "Whether any element along axes is true."); }

Tensor Sum(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Sum">(), input, axes, options); }
Tensor Mean(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Mean">(), input, axes, options); }
Tensor Prod(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Prod">(), input, axes, options); }
Tensor Max(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Max">(), input, axes, options); }
Tensor Min(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Min">(), input, axes, options); }
Tensor All(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"All">(), input, axes, options); }
Tensor Any(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Any">(), input, axes, options); }

}  // namespace tandem
