// Rounding, classification, conjugation.
#include "core/gradient.h"
#include "core/ops/math.h"

namespace tandem {
namespace {

constexpr const char* kReals = "T:type{bfloat16,half,float,double}";
constexpr const char* kFlat = "the derivative is zero almost everywhere";
constexpr const char* kTruth = "values are bools";

Tensors ConjGradient(const Recorded&, const Tensor& dy) { return {Conj(dy)}; }

}  // namespace

OpSchema FloorSchema() {
  return OpSchema("Floor", "The largest integer not above x, element by element.")
      .Signature("x:T", "y:T", kReals).Traits(kElementwise | kSameShape).Infer(InferSameAsInput).NotDifferentiable(kFlat);
}
OpSchema CeilSchema() {
  return OpSchema("Ceil", "The smallest integer not below x, element by element.")
      .Signature("x:T", "y:T", kReals).Traits(kElementwise | kSameShape).Infer(InferSameAsInput).NotDifferentiable(kFlat);
}
OpSchema RoundSchema() {
  return OpSchema("Round", "The nearest integer, half to even, element by element; integers stay.")
      .Signature("x:T", "y:T", "T:type{bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128}")
      .Traits(kElementwise | kSameShape).Infer(InferSameAsInput).NotDifferentiable(kFlat);
}
OpSchema IsNanSchema() {
  return OpSchema("IsNan", "Whether x is not a number, element by element.")
      .Signature("x:T", "y:bool", kReals).Traits(kElementwise).Infer(InferSameAsInput).NotDifferentiable(kTruth);
}
OpSchema IsInfSchema() {
  return OpSchema("IsInf", "Whether x is infinite, element by element.")
      .Signature("x:T", "y:bool", kReals).Traits(kElementwise).Infer(InferSameAsInput).NotDifferentiable(kTruth);
}
OpSchema IsFiniteSchema() {
  return OpSchema("IsFinite", "Whether x is neither infinite nor NaN, element by element.")
      .Signature("x:T", "y:bool", kReals).Traits(kElementwise).Infer(InferSameAsInput).NotDifferentiable(kTruth);
}
OpSchema ConjSchema() {
  return OpSchema("Conj", "The complex conjugate, element by element.")
      .Signature("input:T", "output:T", "T:type=complex64{complex64,complex128,variant}")
      .Traits(kElementwise | kSameShape).Infer(InferSameAsInput).Gradient(ConjGradient).GradientReads("");
}

Tensor Floor(Operand x) { return Run(Op<"Floor">(), {x}, {}, x.origin()); }
Tensor Ceil(Operand x) { return Run(Op<"Ceil">(), {x}, {}, x.origin()); }
Tensor Round(Operand x) { return Run(Op<"Round">(), {x}, {}, x.origin()); }
Tensor IsNan(Operand x) { return Run(Op<"IsNan">(), {x}, {}, x.origin()); }
Tensor IsInf(Operand x) { return Run(Op<"IsInf">(), {x}, {}, x.origin()); }
Tensor IsFinite(Operand x) { return Run(Op<"IsFinite">(), {x}, {}, x.origin()); }
Tensor Conj(Operand x) {
  Tensor value = ToTensor(x);
  if (value.defined() && !IsComplex(value.dtype())) return value;
  return Run(Op<"Conj">(), {value}, {}, x.origin());
}

}  // namespace tandem
