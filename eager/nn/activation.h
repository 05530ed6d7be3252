// Layers without variables that compute: Activation, Lambda, Dropout, Add, Multiply, Average, Maximum, Concatenate.
//
//   nn::Activation(Relu);
//   nn::Lambda([](const Tensor& x) { return x * x; });
//   nn::Dropout(.5)(x, {.training = true});
//   nn::Concatenate()(Tensors{a, b});                 // along the last axis
#pragma once
#include "core/export.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

class Activation : public Layer {
 public:
  explicit Activation(ActivationFunction function, LayerOptions options = {});
  Tensor Call(const Tensor& input) override { return function_(input); }
  Tensor ComputeMask(const Tensor&, const Tensor& mask) override { return mask; }

 private:
  ActivationFunction function_;
};

// Any function of the input. Variables it reads are not the layer's: a class of its own would own them.
class Lambda : public Layer {
 public:
  explicit Lambda(std::function<Tensor(const Tensor&)> function, LayerOptions options = {});
  Tensor Call(const Tensor& input) override { return function_(input); }

 private:
  std::function<Tensor(const Tensor&)> function_;
};

struct DropoutOptions {
  std::optional<int64_t> seed = std::nullopt;
  std::string name = {};
};
// In training each element is 0 with probability rate, the others are divided by 1 - rate; else the input itself.
// INVALID_ARGUMENT unless 0 <= rate <= 1.
class Dropout : public Layer {
 public:
  explicit Dropout(double rate, DropoutOptions options = {});
  Tensor Call(const Tensor& input) override;
  Tensor ComputeMask(const Tensor&, const Tensor& mask) override { return mask; }

 private:
  double rate_;
  std::optional<int64_t> seed_;
};

// Layers of several inputs, of shapes that broadcast.
class Add : public Layer {
 public:
  explicit Add(LayerOptions options = {}) : Layer(std::move(options)) {}
  Tensor CallList(const Tensors& inputs) override;
};
class Multiply : public Layer {
 public:
  explicit Multiply(LayerOptions options = {}) : Layer(std::move(options)) {}
  Tensor CallList(const Tensors& inputs) override;
};
class Average : public Layer {
 public:
  explicit Average(LayerOptions options = {}) : Layer(std::move(options)) {}
  Tensor CallList(const Tensors& inputs) override;
};
class Maximum : public Layer {
 public:
  explicit Maximum(LayerOptions options = {}) : Layer(std::move(options)) {}
  Tensor CallList(const Tensors& inputs) override;
};
class Concatenate : public Layer {
 public:
  explicit Concatenate(int64_t axis = -1, LayerOptions options = {}) : Layer(std::move(options)), axis_(axis) {}
  Tensor CallList(const Tensors& inputs) override;

 private:
  int64_t axis_;
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
