// Handwritten digits, learned eagerly: ops run as they are called, a tape remembers them, Adam moves the variables.
// mnist_graph.cc trains the same network in a graph, with the same losses bit for bit.
//
//   bazel run //examples:mnist_eager
#include <iostream>

#include "examples/digits.h"
#include "examples/network.h"
#include "examples/progress.h"

namespace td = tandem;

constexpr int64_t kSteps = 625;  // 5 epochs of 4,000 digits

int main() {
  const auto train = Digits("examples/data", "train").Shuffle(4000, {.seed = 2}).Repeat(5).Batch(32);
  const auto [test_images, test_labels] = *Digits("examples/data", "test").Batch(1000).MakeIterator().Next();
  const Network network;
  const td::Variable step = td::train::GetOrCreateGlobalStep();
  td::train::AdamOptimizer optimizer(td::train::CosineDecay(0.006, step, kSteps));

  td::Tensor loss;
  {
    Progress progress("step", kSteps);
    for (auto& batch : train) {
      auto& [images, labels] = batch;
      td::GradientTape tape;
      loss = td::Mean(td::SparseSoftmaxCrossEntropyWithLogits(network(images), labels).loss);
      optimizer.ApplyGradients(tape.Gradient(loss, network.variables()), network.variables(), step);
      progress.Step("loss " + loss.ToString());
    }
  }
  const float accuracy = td::Mean(td::Cast(td::ArgMax(network(test_images), 1, td::kInt32) == test_labels, td::kFloat32)).item<float>();
  std::cout << "steps: " << step.item<int64_t>() << ", loss of the last: " << loss.ToString() << '\n';
  std::cout << "accuracy on held-out digits: " << accuracy << '\n';
  return accuracy > 0.96 ? 0 : 1;
}
