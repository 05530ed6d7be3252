// Handwritten digits, learned in a graph: the calls of mnist_eager.cc are recorded once, and a Session runs them optimised.
// The losses are the same bit for bit.
//
//   bazel run //examples:mnist_graph
#include <iostream>

#include "examples/digits.h"
#include "examples/network.h"
#include "examples/progress.h"

namespace td = tandem;

constexpr int64_t kSteps = 625;  // 5 epochs of 4,000 digits

int main() {
  const auto train = Digits("examples/data", "train").Shuffle(4000, {.seed = 2}).Repeat(5).Batch(32);
  const auto [test_images, test_labels] = *Digits("examples/data", "test").Batch(1000).MakeIterator().Next();

  td::Graph graph;
  std::string init;
  {
    td::GraphScope scope(graph);
    const Network network;
    const td::Variable step(int64_t{0}, {.name = "step", .trainable = false});
    const td::Tensor images = td::Placeholder(td::kFloat32, {-1, 28, 28, 1}, "images"), labels = td::Placeholder(td::kInt32, {-1}, "labels");
    const td::Tensor logits = td::Identity(network(images), "logits");
    const td::Tensor loss = td::Identity(td::Mean(td::SparseSoftmaxCrossEntropyWithLogits(logits, labels).loss), "loss");
    td::Identity(td::train::AdamOptimizer(td::train::CosineDecay(0.006, step, kSteps)).Minimize(loss, step), "train");
    init = td::GlobalVariablesInitializer();
  }
  td::Session session(graph);
  session.Run({}, std::vector<td::TensorName>{}, {init});
  const td::Callable run = session.MakeCallable({"images", "labels"}, {"loss", "train"});

  td::Tensors got;
  {
    Progress progress("step", kSteps);
    for (auto& batch : train) {
      auto& [images, labels] = batch;
      got = run({images, labels});
      progress.Step("loss " + got[0].ToString());
    }
  }
  const td::Tensor logits = session.Run({{"images", test_images}}, "logits");
  const float accuracy = td::Mean(td::Cast(td::ArgMax(logits, 1, td::kInt32) == test_labels, td::kFloat32)).item<float>();
  std::cout << "steps: " << got[1].item<int64_t>() << ", loss of the last: " << got[0].ToString() << '\n';
  std::cout << "accuracy on held-out digits: " << accuracy << '\n';
  return accuracy > 0.96 ? 0 : 1;
}
