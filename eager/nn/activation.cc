#include "eager/nn/activation.h"

#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/concat.h"
#include "core/ops/likeness.h"
#include "core/ops/random.h"
#include "core/ops/reshape.h"
#include "core/status.h"

namespace tandem::nn {

Activation::Activation(ActivationFunction function, LayerOptions options) : Layer(std::move(options)), function_(std::move(function)) {
  if (!function_) Fail("the function is empty");
}
Lambda::Lambda(std::function<Tensor(const Tensor&)> function, LayerOptions options) : Layer(std::move(options)), function_(std::move(function)) {
  if (!function_) Fail("the function is empty");
}

Dropout::Dropout(double rate, DropoutOptions options) : Layer({.name = std::move(options.name)}), rate_(rate), seed_(options.seed) {
  if (!(rate >= 0 && rate <= 1)) Fail(absl::StrCat("rate is ", rate, ", must be in [0, 1]"));
}
Tensor Dropout::Call(const Tensor& input) {
  if (!training() || rate_ == 0) return input;
  if (rate_ == 1) return ZerosLike(input);
  const Shape shape = input.shape();
  const Tensor drawn = RandomUniform(shape.fully_known() ? Ints(shape) : Ints(ShapeOf(input)), {.dtype = input.dtype(), .seed = seed_});
  // One factor for all: 0 or 1 / (1 - rate), so that the gradient is one product.
  return input * (Cast(drawn >= rate_, input.dtype()) * (1 / (1 - rate_)));
}

namespace {

template <class F>
Tensor Fold(const Tensors& inputs, F&& f) {
  Tensor sum = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) sum = f(sum, inputs[i]);
  return sum;
}

}  // namespace

Tensor Add::CallList(const Tensors& inputs) {
  return Fold(inputs, [](const Tensor& a, const Tensor& b) { return a + b; });
}
Tensor Multiply::CallList(const Tensors& inputs) {
  return Fold(inputs, [](const Tensor& a, const Tensor& b) { return a * b; });
}
Tensor Average::CallList(const Tensors& inputs) {
  return Fold(inputs, [](const Tensor& a, const Tensor& b) { return a + b; }) / static_cast<double>(inputs.size());
}
Tensor Maximum::CallList(const Tensors& inputs) {
  return Fold(inputs, [](const Tensor& a, const Tensor& b) { return tandem::Maximum(a, b); });
}
Tensor Concatenate::CallList(const Tensors& inputs) { return Concat(inputs, axis_); }

}  // namespace tandem::nn
