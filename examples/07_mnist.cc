// Handwritten digits: a dataset, a model of two layers one of which is used twice, a loss, an optimizer.
//
//   bazel run //examples:07_mnist
#include <iostream>

#include "tandem.h"

namespace td = tandem;

class MnistModel : public td::nn::Model {
 public:
  td::Tensor Call(const td::Tensor& input) override { return dense2_(dense2_(dense1_(input))); }  // dense2's variables reused

 private:
  td::nn::Dense& dense1_ = Track("dense1", td::nn::Dense(10));
  td::nn::Dense& dense2_ = Track("dense2", td::nn::Dense(10));
};

td::Tensor Loss(MnistModel& model, const td::Tensor& images, const td::Tensor& labels) {
  return td::losses::SparseSoftmaxCrossEntropy(labels, model(images));
}

int main() {
  td::SetRandomSeed(1);
  MnistModel model;
  td::train::GradientDescentOptimizer optimizer(0.001);
  const td::Variable step = td::train::GetOrCreateGlobalStep();

  // 4,000 digits: 60 passes in batches of 32 are 7,500 steps, as 4 passes over the whole of MNIST.
  const auto train = td::data::Mnist("examples/data").Shuffle(60000).Repeat(60).Batch(32);
  for (auto [i, batch] : td::Enumerate(train)) {
    auto& [images, labels] = batch;
    if (i % 2500 == 0) std::cout << "step " << i << ": loss " << Loss(model, images, labels).item<float>() << '\n';
    td::GradientTape tape;
    const td::Tensor loss = Loss(model, images, labels);
    optimizer.ApplyGradients(tape.Gradient(loss, model.variables()), model.variables(), step);
  }

  for (auto& all : td::data::Mnist("examples/data", {.split = "test"}).Batch(1000)) {
    auto& [images, labels] = all;
    const td::Tensor right = td::Cast(td::ArgMax(model(images), 1), td::kInt32) == labels;
    const double loss = Loss(model, images, labels).item<double>(), accuracy = td::Mean(td::Cast(right, td::kFloat32)).item<double>();
    std::cout << "after " << step.item<int64_t>() << " steps: loss " << loss << ", accuracy " << accuracy << '\n'
              << "good enough: " << (loss < .7 && accuracy > .83 ? "yes" : "no") << '\n';
  }
}
