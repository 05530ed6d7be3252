// Powers, roots, exponentials and logarithms.
#include "core/ops/broadcast_gradient.h"
#include "core/ops/comparison.h"
#include "core/ops/gradient_functions.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"

namespace tandem {
namespace {

constexpr const char* kFloats = "T:type{bfloat16,half,float,double,complex64,complex128}";

Tensors SqrtGradient(const Recorded& op, const Tensor& dy) { return {SqrtGrad(op.output(0), dy)}; }
Tensors RsqrtGradient(const Recorded& op, const Tensor& dy) { return {RsqrtGrad(op.output(0), dy)}; }

// z = b / (2 conj y) in y and b: -conj(g / y) z, g / (2 y).
Tensors SqrtGradGradient(const Recorded& op, const Tensor& g) {
  const Tensor h = g / op.input(0);
  return {-Conj(h) * op.output(0), 0.5 * h};
}
// z = -b y³ / 2: -3/2 g b y², -g y³ / 2.
Tensors RsqrtGradGradient(const Recorded& op, const Tensor& g) {
  const Tensor y = Conj(op.input(0));
  return {-1.5 * Conj(g) * op.input(1) * Square(y), RsqrtGrad(y, g)};
}

Tensors ExpGradient(const Recorded& op, const Tensor& dy) { return {dy * Conj(op.output(0))}; }
Tensors Expm1Gradient(const Recorded& op, const Tensor& dy) { return {dy * Exp(Conj(op.input(0)))}; }
Tensors LogGradient(const Recorded& op, const Tensor& dy) { return {dy * Reciprocal(Conj(op.input(0)))}; }
Tensors Log1pGradient(const Recorded& op, const Tensor& dy) { return {dy * Reciprocal(1 + Conj(op.input(0)))}; }

// dx: y x^(y-1). dy: x^y log x, and 0 where x is not positive (for complex numbers: where it is 0), with a logarithm that
// never sees those x, so that 0 * -inf does not make a NaN.
Tensors PowGradient(const Recorded& op, const Tensor& dy) {
  const Tensor x = Conj(op.input(0)), y = Conj(op.input(1)), z = Conj(op.output(0));
  const auto log_x = [&] {
    const Tensor has_log = IsComplex(x.dtype()) ? NotEqual(x, ZerosLike(x)) : Greater(x, ZerosLike(x));
    return Select(has_log, Log(Select(has_log, x, OnesLike(x))), ZerosLike(x));
  };
  return {BroadcastGradient(op, 0, [&] { return dy * y * Pow(x, y - 1); }), BroadcastGradient(op, 1, [&] { return dy * z * log_x(); })};
}

}  // namespace

OpSchema SqrtSchema() {
  return OpSchema("Sqrt", "The square root, element by element.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(SqrtGradient).GradientReads("y");
}
OpSchema SqrtGradSchema() {
  return OpSchema("SqrtGrad", "The gradient of y = Sqrt(x): dy / (2 y).")
      .Signature("y:T, dy:T", "z:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferAllSame).Gradient(SqrtGradGradient).GradientReads("y, z");
}
OpSchema RsqrtSchema() {
  return OpSchema("Rsqrt", "1 / sqrt(x), element by element.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(RsqrtGradient).GradientReads("y");
}
OpSchema RsqrtGradSchema() {
  return OpSchema("RsqrtGrad", "The gradient of y = Rsqrt(x): -dy y³ / 2.")
      .Signature("y:T, dy:T", "z:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferAllSame).Gradient(RsqrtGradGradient).GradientReads("y, dy");
}
OpSchema ExpSchema() {
  return OpSchema("Exp", "e^x, element by element.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(ExpGradient).GradientReads("y");
}
OpSchema Expm1Schema() {
  return OpSchema("Expm1", "e^x - 1, element by element, exact near 0.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(Expm1Gradient).GradientReads("x");
}
OpSchema LogSchema() {
  return OpSchema("Log", "The natural logarithm, element by element: -inf at 0, NaN below.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(LogGradient).GradientReads("x");
}
OpSchema Log1pSchema() {
  return OpSchema("Log1p", "log(1 + x), element by element, exact near 0.")
      .Signature("x:T", "y:T", kFloats).Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(Log1pGradient).GradientReads("x");
}
OpSchema PowSchema() {
  return OpSchema("Pow", "x^y, element by element; shapes broadcast, integers wrap and take no negative exponent.")
      .Signature("x:T, y:T", "z:T", "T:type{bfloat16,float,half,double,int8,int16,int32,int64,complex64,complex128}")
      .Traits(kElementwise | kSameShape | kMayFail)
      .Infer(InferBroadcast).Gradient(PowGradient).GradientReads("x, y, z");
}

Tensor Sqrt(Operand x) { return Run(Op<"Sqrt">(), {x}, {}, x.origin()); }
Tensor Rsqrt(Operand x) { return Run(Op<"Rsqrt">(), {x}, {}, x.origin()); }
Tensor Exp(Operand x) { return Run(Op<"Exp">(), {x}, {}, x.origin()); }
Tensor Expm1(Operand x) { return Run(Op<"Expm1">(), {x}, {}, x.origin()); }
Tensor Log(Operand x) { return Run(Op<"Log">(), {x}, {}, x.origin()); }
Tensor Log1p(Operand x) { return Run(Op<"Log1p">(), {x}, {}, x.origin()); }
Tensor Pow(Operand x, Operand y) { return Run(Op<"Pow">(), {x, y}, {}, x.origin()); }
Tensor SqrtGrad(const Tensor& y, const Tensor& dy, Origin origin) { return Run(Op<"SqrtGrad">(), {y, dy}, {}, origin); }
Tensor RsqrtGrad(const Tensor& y, const Tensor& dy, Origin origin) { return Run(Op<"RsqrtGrad">(), {y, dy}, {}, origin); }

}  // namespace tandem
