#include "core/ops/cast.h"

#include "core/gradient.h"

namespace tandem {
namespace {

// Nothing flows back through integers.
Tensors CastGradient(const Recorded& op, const Tensor& dy) {
  if (!IsDifferentiable(op.input_dtype(0)) || !IsDifferentiable(dy.dtype())) return {Tensor()};
  return {Cast(dy, op.input_dtype(0))};
}

}  // namespace

OpSchema CastSchema() {
  return OpSchema("Cast", "x in another dtype. Floats truncate towards zero, integers wrap, bool is \"not 0\"; Truncate cuts "
                          "bfloat16 off instead of rounding it to nearest even.")
      .Signature("x:SrcT", "y:DstT", "SrcT:type; DstT:type; Truncate:bool=false")
      .Traits(kElementwise).Infer(InferSameAsInput).Gradient(CastGradient).GradientReads("");
}

Tensor Cast(Operand x, DType dtype, Origin origin) {
  Tensor value = ToTensor(x);
  if (value.defined() && value.dtype() == dtype) return value;
  return Run(Op<"Cast">(), {value}, {dtype, false}, origin ? origin : x.origin());
}

}  // namespace tandem
