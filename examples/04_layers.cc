// Layers and models: an object owns its variables; to share variables, share the object.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

// A layer of one's own: Build makes the variables when the first input shows its shape.
class MySimpleLayer : public td::nn::Layer {
 public:
  explicit MySimpleLayer(int64_t output_units) : output_units_(output_units) {}
  void Build(const td::Shape& input) override { kernel_ = AddVariable("kernel", {input.back(), output_units_}); }
  td::Tensor Call(const td::Tensor& input) override { return td::MatMul(input, kernel_); }

 private:
  int64_t output_units_;
  td::Variable kernel_;
};

class MnistModel : public td::nn::Model {
 public:
  td::Tensor Call(const td::Tensor& input) override { return dense2_(dense2_(dense1_(input))); }  // dense2's variables reused

 private:
  td::nn::Dense& dense1_ = Track("dense1", td::nn::Dense(10));
  td::nn::Dense& dense2_ = Track("dense2", td::nn::Dense(10));
};

int main() {
  MySimpleLayer layer(3);
  std::cout << "before the first call: " << layer.variables().size() << " variables\n";
  std::cout << layer(td::Zeros({2, 4})).ToString() << '\n';
  for (const td::Variable& v : layer.variables()) std::cout << v.name() << ' ' << v.shape().ToTuple() << '\n';

  MnistModel model;
  std::cout << "output " << model(td::Zeros({1, 1, 784})).shape().ToTuple() << ", " << model.variables().size() << " variables\n";

  // Layers one after the other. With the shape of an example the variables exist at once.
  td::nn::Sequential stack(td::nn::Dense(10, {.activation = td::Relu, .input_shape = {784}}), td::nn::Dropout(.5), td::nn::Dense(10));
  std::cout << stack.Summary();

  // Training or not goes from a model to its layers: dropout acts only in training.
  const td::Tensor x = td::Ones({1, 784});
  std::cout << std::boolalpha << "twice the same: " << bool(td::All(stack(x) == stack(x))) << '\n';

  // Two models, one layer.
  auto shared = std::make_shared<td::nn::Dense>(4);
  td::nn::Sequential one(shared, td::nn::Activation(td::Tanh)), two(shared, td::nn::Flatten());
  one(td::Ones({1, 2}));
  two(td::Ones({1, 2}));
  std::cout << "shared: " << (one.variables()[0].handle().rep() == two.variables()[0].handle().rep()) << '\n';

  try {
    stack(td::Zeros({1, 100}));
  } catch (const td::Error& error) {
    std::cout << error.what() << '\n';
  }
}
