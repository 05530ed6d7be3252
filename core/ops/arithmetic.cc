#include "core/gradient.h"
#include "core/ops/math.h"

namespace tandem {
namespace {

Tensors AddGradient(const Recorded& op, const Tensor& dy) { return {ReduceToInput(op, 0, dy), ReduceToInput(op, 1, dy)}; }

Tensors MulGradient(const Recorded& op, const Tensor& dy) {
  return {ReduceToInput(op, 0, Mul(dy, op.input(1))), ReduceToInput(op, 1, Mul(dy, op.input(0)))};
}

}  // namespace

OpSchema AddV2Schema() {
  return OpSchema("AddV2", "The sum of x and y, element by element; shapes broadcast, integers wrap.")
      .Signature("x:T, y:T", "z:T",
                 "T:type{bfloat16,half,float,double,uint8,uint16,uint32,uint64,int8,int16,int32,int64,complex64,complex128}")
      .Traits(kElementwise | kCommutative | kSameShape)
      .Infer(InferBroadcast).Gradient(AddGradient).GradientReads("");
}
OpSchema MulSchema() {
  return OpSchema("Mul", "The product of x and y, element by element; shapes broadcast, integers wrap.")
      .Signature("x:T, y:T", "z:T",
                 "T:type{bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,complex64,complex128}")
      .Traits(kElementwise | kCommutative | kSameShape)
      .Infer(InferBroadcast).Gradient(MulGradient).GradientReads("x, y");
}

Tensor Add(Operand x, Operand y) { return Run(Op<"AddV2">(), {x, y}, {}, x.origin()); }
Tensor Mul(Operand x, Operand y) { return Run(Op<"Mul">(), {x, y}, {}, x.origin()); }

Tensor operator+(Operand x, Operand y) { return Add(x, y); }
Tensor operator*(Operand x, Operand y) { return Mul(x, y); }

}  // namespace tandem
