#include "core/ops/activations.h"

#include "core/gradient.h"
#include "core/ops/comparison.h"
#include "core/ops/gradient_functions.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"

namespace tandem {
namespace {

constexpr const char* kReals = "T:type{half,bfloat16,float,double}";
constexpr const char* kNumbers = "T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64}";
constexpr const char* kWithAlpha = "alpha:float=0.2; T:type=float{half,bfloat16,float,double}";

// The rectifiers' gradients read the result, which the next op keeps alive anyway.
Tensors ReluGradient(const Recorded& op, const Tensor& dy) { return {ReluGrad(dy, op.output(0))}; }
Tensors Relu6Gradient(const Recorded& op, const Tensor& dy) { return {Relu6Grad(dy, op.output(0))}; }
Tensors LeakyReluGradient(const Recorded& op, const Tensor& dy) { return {LeakyReluGrad(dy, op.input(0), op.attr<float>("alpha"))}; }
Tensors EluGradient(const Recorded& op, const Tensor& dy) { return {EluGrad(dy, op.output(0))}; }
Tensors SoftplusGradient(const Recorded& op, const Tensor& dy) { return {SoftplusGrad(dy, op.input(0))}; }

// Linear in dy, piecewise constant in x.
Tensors ReluGradGradient(const Recorded& op, const Tensor& g) { return {ReluGrad(g, op.input(1)), ZerosLike(g)}; }
Tensors Relu6GradGradient(const Recorded& op, const Tensor& g) { return {Relu6Grad(g, op.input(1)), ZerosLike(g)}; }
Tensors LeakyReluGradGradient(const Recorded& op, const Tensor& g) {
  return {LeakyReluGrad(g, op.input(1), op.attr<float>("alpha")), ZerosLike(g)};
}
// b (y + 1) below 0: in y it is b there and constant above.
Tensors EluGradGradient(const Recorded& op, const Tensor& g) {
  const Tensor& y = op.input(1);
  const Tensor zero = ZerosLike(g);
  return {EluGrad(g, y), Select(Less(y, zero), g * op.input(0), zero)};
}
// d sigmoid(x) = 1 / (exp(-x) + 2 + exp(x)).
Tensors SoftplusGradGradient(const Recorded& op, const Tensor& g) {
  const Tensor &b = op.input(0), &x = op.input(1);
  return {SoftplusGrad(g, x), g * b / (Exp(-x) + 2 + Exp(x))};
}

}  // namespace

OpSchema ReluSchema() {
  return OpSchema("Relu", "max(x, 0), element by element; NaN stays.")
      .Signature("features:T", "activations:T",
                 "T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8}")
      .Traits(kElementwise | kSameShape).Infer(InferSameAsInput).Gradient(ReluGradient).GradientReads("activations");
}
OpSchema ReluGradSchema() {
  return OpSchema("ReluGrad", "The gradient of Relu: gradients where features > 0, else 0.")
      .Signature("gradients:T, features:T", "backprops:T", kNumbers)
      .Traits(kElementwise | kSameShape).Infer(InferAllSame).Gradient(ReluGradGradient).GradientReads("features");
}
OpSchema Relu6Schema() {
  return OpSchema("Relu6", "min(max(x, 0), 6), element by element.")
      .Signature("features:T", "activations:T", kNumbers)
      .Traits(kElementwise | kSameShape).Infer(InferSameAsInput).Gradient(Relu6Gradient).GradientReads("activations");
}
OpSchema Relu6GradSchema() {
  return OpSchema("Relu6Grad", "The gradient of Relu6: gradients where 0 < features < 6, else 0.")
      .Signature("gradients:T, features:T", "backprops:T", kNumbers)
      .Traits(kElementwise | kSameShape).Infer(InferAllSame).Gradient(Relu6GradGradient).GradientReads("features");
}
OpSchema LeakyReluSchema() {
  return OpSchema("LeakyRelu", "x where x > 0, else alpha x, element by element.")
      .Signature("features:T", "activations:T", kWithAlpha)
      .Traits(kElementwise | kSameShape).Infer(InferSameAsInput).Gradient(LeakyReluGradient).GradientReads("features");
}
OpSchema LeakyReluGradSchema() {
  return OpSchema("LeakyReluGrad", "The gradient of LeakyRelu: gradients where features > 0, else alpha gradients.")
      .Signature("gradients:T, features:T", "backprops:T", kWithAlpha)
      .Traits(kElementwise | kSameShape).Infer(InferAllSame).Gradient(LeakyReluGradGradient).GradientReads("features");
}
OpSchema EluSchema() {
  return OpSchema("Elu", "x where x >= 0, else exp(x) - 1, element by element.")
      .Signature("features:T", "activations:T", kReals)
      .Traits(kElementwise | kSameShape).Infer(InferSameAsInput).Gradient(EluGradient).GradientReads("activations");
}
OpSchema EluGradSchema() {
  return OpSchema("EluGrad", "The gradient of Elu by its outputs: gradients (outputs + 1) where outputs < 0, else gradients.")
      .Signature("gradients:T, outputs:T", "backprops:T", kReals)
      .Traits(kElementwise | kSameShape).Infer(InferAllSame).Gradient(EluGradGradient).GradientReads("gradients, outputs");
}
OpSchema SoftplusSchema() {
  return OpSchema("Softplus", "log(1 + exp(x)), element by element.")
      .Signature("features:T", "activations:T", kReals)
      .Traits(kElementwise | kSameShape).Infer(InferSameAsInput).Gradient(SoftplusGradient).GradientReads("features");
}
OpSchema SoftplusGradSchema() {
  return OpSchema("SoftplusGrad", "The gradient of Softplus: gradients / (1 + exp(-features)).")
      .Signature("gradients:T, features:T", "backprops:T", kReals)
      .Traits(kElementwise | kSameShape).Infer(InferAllSame).Gradient(SoftplusGradGradient).GradientReads("gradients, features");
}

Tensor Relu(Operand features) { return Run(Op<"Relu">(), {features}, {}, features.origin()); }
Tensor Relu6(Operand features) { return Run(Op<"Relu6">(), {features}, {}, features.origin()); }
Tensor LeakyRelu(Operand features, LeakyReluOptions options) {
  return Run(Op<"LeakyRelu">(), {features}, {options.alpha}, features.origin());
}
Tensor Elu(Operand features) { return Run(Op<"Elu">(), {features}, {}, features.origin()); }
Tensor Softplus(Operand features) { return Run(Op<"Softplus">(), {features}, {}, features.origin()); }
Tensor ReluGrad(const Tensor& dy, const Tensor& x, Origin origin) { return Run(Op<"ReluGrad">(), {dy, x}, {}, origin); }
Tensor Relu6Grad(const Tensor& dy, const Tensor& x, Origin origin) { return Run(Op<"Relu6Grad">(), {dy, x}, {}, origin); }
Tensor LeakyReluGrad(const Tensor& dy, const Tensor& x, float alpha, Origin origin) {
  return Run(Op<"LeakyReluGrad">(), {dy, x}, {alpha}, origin);
}
Tensor EluGrad(const Tensor& dy, const Tensor& y, Origin origin) { return Run(Op<"EluGrad">(), {dy, y}, {}, origin); }
Tensor SoftplusGrad(const Tensor& dy, const Tensor& x, Origin origin) { return Run(Op<"SoftplusGrad">(), {dy, x}, {}, origin); }

}  // namespace tandem
