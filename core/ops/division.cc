#include "core/ops/arithmetic.h"
#include "core/ops/broadcast_gradient.h"
#include "core/ops/cast.h"
#include "core/ops/math.h"
#include "core/variable.h"

namespace tandem {
namespace {

// d(x/y) = dx/y - x/y² dy, written as (-x/y)/y: x/y² could overflow where this does not.
Tensors RealDivGradient(const Recorded& op, const Tensor& dy) {
  const Tensor x = Conj(op.input(0)), y = Conj(op.input(1));
  return {BroadcastGradient(op, 0, [&] { return RealDiv(dy, y); }),
          BroadcastGradient(op, 1, [&] { return dy * RealDiv(RealDiv(-x, y), y); })};
}
Tensors DivNoNanGradient(const Recorded& op, const Tensor& dy) {
  const Tensor x = Conj(op.input(0)), y = Conj(op.input(1));
  return {BroadcastGradient(op, 0, [&] { return DivNoNan(dy, y); }),
          BroadcastGradient(op, 1, [&] { return dy * DivNoNan(DivNoNan(-x, y), y); })};
}
// x mod y = x - y floor(x/y), and floor is constant almost everywhere.
Tensors FloorModGradient(const Recorded& op, const Tensor& dy) {
  return {ReduceToInput(op, 0, dy), BroadcastGradient(op, 1, [&] { return dy * -FloorDiv(op.input(0), op.input(1)); })};
}
Tensors ReciprocalGradient(const Recorded& op, const Tensor& dy) { return {-dy * Square(Conj(op.output(0)))}; }

DType DTypeOfOperand(const Operand& x) {
  switch (x.kind()) {
    case Operand::Kind::kTensor: return x.rep() ? x.rep()->dtype : DType::kInvalid;
    case Operand::Kind::kVariable: return x.variable().dtype();
    default: return DType::kInvalid;
  }
}

}  // namespace

OpSchema RealDivSchema() {
  return OpSchema("RealDiv", "The quotient x / y of floating or complex numbers, element by element.")
      .Signature("x:T, y:T", "z:T",
                 "T:type{bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,complex64,complex128}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferBroadcast).Gradient(RealDivGradient).GradientReads("x, y");
}
OpSchema DivSchema() {
  return OpSchema("Div", "The quotient x / y, element by element; integers round towards zero.")
      .Signature("x:T, y:T", "z:T",
                 "T:type{bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,complex64,complex128}")
      .Traits(kElementwise | kSameShape | kMayFail)
      .Infer(InferBroadcast).Gradient(RealDivGradient).GradientReads("x, y");
}
OpSchema FloorDivSchema() {
  return OpSchema("FloorDiv", "The quotient x / y rounded towards minus infinity, element by element.")
      .Signature("x:T, y:T", "z:T",
                 "T:type{bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,complex64,complex128}")
      .Traits(kElementwise | kSameShape | kMayFail)
      .Infer(InferBroadcast).NotDifferentiable("the derivative is zero almost everywhere");
}
OpSchema FloorModSchema() {
  return OpSchema("FloorMod", "The remainder x - y * floor(x / y), element by element: it has the sign of y.")
      .Signature("x:T, y:T", "z:T", "T:type{int8,int16,int32,int64,uint8,uint16,uint32,uint64,bfloat16,half,float,double}")
      .Traits(kElementwise | kSameShape | kMayFail)
      .Infer(InferBroadcast).Gradient(FloorModGradient).GradientReads("x, y");
}
OpSchema DivNoNanSchema() {
  return OpSchema("DivNoNan", "The quotient x / y, element by element, and 0 where y is 0.")
      .Signature("x:T, y:T", "z:T", "T:type{half,float,bfloat16,double,complex64,complex128}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferBroadcast).Gradient(DivNoNanGradient).GradientReads("x, y");
}
OpSchema ReciprocalSchema() {
  return OpSchema("Reciprocal", "1 / x, element by element.")
      .Signature("x:T", "y:T", "T:type{bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(ReciprocalGradient).GradientReads("y");
}

Tensor RealDiv(Operand x, Operand y) { return Run(Op<"RealDiv">(), {x, y}, {}, x.origin()); }
Tensor Div(Operand x, Operand y) { return Run(Op<"Div">(), {x, y}, {}, x.origin()); }
Tensor FloorDiv(Operand x, Operand y) { return Run(Op<"FloorDiv">(), {x, y}, {}, x.origin()); }
Tensor FloorMod(Operand x, Operand y) { return Run(Op<"FloorMod">(), {x, y}, {}, x.origin()); }
Tensor DivNoNan(Operand x, Operand y) { return Run(Op<"DivNoNan">(), {x, y}, {}, x.origin()); }
Tensor Reciprocal(Operand x) { return Run(Op<"Reciprocal">(), {x}, {}, x.origin()); }

Tensor Divide(Operand x, Operand y) {
  const DType a = DTypeOfOperand(x), b = DTypeOfOperand(y), dtype = a == DType::kInvalid ? b : a;
  if (!IsInteger(dtype)) [[likely]] return RealDiv(x, y);
  // The integers meet as integers first: a fraction or another dtype is refused, not cast along.
  if (b != DType::kInvalid && b != dtype)
    ThrowError(InvalidArgument("RealDiv: dtypes differ: x is ", std::string(DTypeName(dtype)), ", y is ", std::string(DTypeName(b))));
  const DType wide = DTypeSize(dtype) <= 2 ? kFloat32 : kFloat64;
  const Tensor p = Cast(ToTensor(x, dtype), wide, x.origin()), q = Cast(ToTensor(y, dtype), wide, x.origin());
  return Run(Op<"RealDiv">(), {p, q}, {}, x.origin());
}

Tensor operator/(Operand x, Operand y) { return Divide(x, y); }
Tensor operator%(Operand x, Operand y) { return FloorMod(x, y); }

Tensor& Tensor::operator+=(const Operand& other) { return *this = Add(*this, other); }
Tensor& Tensor::operator-=(const Operand& other) { return *this = Sub(*this, other); }
Tensor& Tensor::operator*=(const Operand& other) { return *this = Mul(*this, other); }
Tensor& Tensor::operator/=(const Operand& other) { return *this = Divide(*this, other); }

}  // namespace tandem
