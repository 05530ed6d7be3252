// Sine, cosine and the S-shaped functions.
#include <numbers>

#include "core/gradient.h"
#include "core/ops/gradient_functions.h"
#include "core/ops/math.h"

namespace tandem {
namespace {

constexpr const char* kFloats = "T:type{bfloat16,half,float,double,complex64,complex128}";
constexpr const char* kReals = "T:type{bfloat16,half,float,double}";

Tensors SinGradient(const Recorded& op, const Tensor& dy) { return {dy * Cos(Conj(op.input(0)))}; }
Tensors CosGradient(const Recorded& op, const Tensor& dy) { return {-dy * Sin(Conj(op.input(0)))}; }
Tensors TanhGradient(const Recorded& op, const Tensor& dy) { return {TanhGrad(Conj(op.output(0)), dy)}; }
Tensors SigmoidGradient(const Recorded& op, const Tensor& dy) { return {SigmoidGrad(Conj(op.output(0)), dy)}; }

// z = b (1 - y²): -2 g b y, g (1 - y²).
Tensors TanhGradGradient(const Recorded& op, const Tensor& g) {
  const Tensor y = Conj(op.input(0)), b = Conj(op.input(1));
  return {g * -2 * b * y, TanhGrad(y, g)};
}
// z = b y (1 - y): g b (1 - 2 y), g y (1 - y).
Tensors SigmoidGradGradient(const Recorded& op, const Tensor& g) {
  const Tensor y = Conj(op.input(0)), gb = g * Conj(op.input(1));
  return {gb - 2 * gb * y, SigmoidGrad(y, g)};
}

Tensors ErfGradient(const Recorded& op, const Tensor& dy) {
  return {dy * (2 * std::numbers::inv_sqrtpi * Exp(-Square(op.input(0))))};
}
Tensors ErfcGradient(const Recorded& op, const Tensor& dy) {
  return {dy * (-2 * std::numbers::inv_sqrtpi * Exp(-Square(op.input(0))))};
}

}  // namespace

OpSchema SinSchema() {
  return OpSchema("Sin", "The sine of x in radians, element by element.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(SinGradient).GradientReads("x");
}
OpSchema CosSchema() {
  return OpSchema("Cos", "The cosine of x in radians, element by element.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(CosGradient).GradientReads("x");
}
OpSchema TanhSchema() {
  return OpSchema("Tanh", "The hyperbolic tangent, element by element.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(TanhGradient).GradientReads("y");
}
OpSchema TanhGradSchema() {
  return OpSchema("TanhGrad", "The gradient of y = Tanh(x): dy (1 - y²).")
      .Signature("y:T, dy:T", "z:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferAllSame).Gradient(TanhGradGradient).GradientReads("y, dy");
}
OpSchema SigmoidSchema() {
  return OpSchema("Sigmoid", "1 / (1 + exp(-x)), element by element.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(SigmoidGradient).GradientReads("y");
}
OpSchema SigmoidGradSchema() {
  return OpSchema("SigmoidGrad", "The gradient of y = Sigmoid(x): dy y (1 - y).")
      .Signature("y:T, dy:T", "z:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferAllSame).Gradient(SigmoidGradGradient).GradientReads("y, dy");
}
OpSchema ErfSchema() {
  return OpSchema("Erf", "The error function, element by element.")
      .Signature("x:T", "y:T", kReals).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(ErfGradient).GradientReads("x");
}
OpSchema ErfcSchema() {
  return OpSchema("Erfc", "1 - erf(x), element by element, exact far out.")
      .Signature("x:T", "y:T", kReals).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(ErfcGradient).GradientReads("x");
}

Tensor Sin(Operand x) { return Run(Op<"Sin">(), {x}, {}, x.origin()); }
Tensor Cos(Operand x) { return Run(Op<"Cos">(), {x}, {}, x.origin()); }
Tensor Tanh(Operand x) { return Run(Op<"Tanh">(), {x}, {}, x.origin()); }
Tensor Sigmoid(Operand x) { return Run(Op<"Sigmoid">(), {x}, {}, x.origin()); }
Tensor Erf(Operand x) { return Run(Op<"Erf">(), {x}, {}, x.origin()); }
Tensor Erfc(Operand x) { return Run(Op<"Erfc">(), {x}, {}, x.origin()); }
Tensor TanhGrad(const Tensor& y, const Tensor& dy, Origin origin) { return Run(Op<"TanhGrad">(), {y, dy}, {}, origin); }
Tensor SigmoidGrad(const Tensor& y, const Tensor& dy, Origin origin) { return Run(Op<"SigmoidGrad">(), {y, dy}, {}, origin); }

}  // namespace tandem
