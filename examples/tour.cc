// Handwritten digits, start to end: a small convolutional network is trained eagerly, recorded as a graph by calling the
// very same function, saved, loaded into a fresh Session and asked to classify what it has not seen.
//
//   bazel run //examples:tour
#include <iostream>

#include "examples/digits.h"
#include "examples/network.h"
#include "tandem.h"

namespace td = tandem;

int main() {
  const auto train = Digits("examples/data", "train").Shuffle(4000, {.seed = 2}).Batch(32, {.drop_remainder = true});
  const auto [test_images, test_labels] = *Digits("examples/data", "test").Batch(1000).MakeIterator().Next();
  const Network network;

  // Eager training: ops run as they are called, a tape remembers them, the update is plain arithmetic.
  for (int epoch = 0; epoch < 4; ++epoch) {
    td::Tensor total = 0.;
    int64_t steps = 0;
    for (auto& batch : train) {  // in another order each time
      auto& [images, labels] = batch;
      td::GradientTape tape;
      const td::Tensor loss = td::Mean(td::SparseSoftmaxCrossEntropyWithLogits(network(images), labels).loss);
      const td::Tensors gradients = tape.Gradient(loss, network.variables());
      std::vector<td::Variable> variables = network.variables();
      for (size_t i = 0; i < variables.size(); ++i) variables[i].AssignSub(gradients[i] * .1);
      total += loss;
      ++steps;
    }
    std::cout << "epoch " << epoch + 1 << ": loss " << (total / static_cast<double>(steps)).ToString() << '\n';
  }
  const td::Tensor eager = network(test_images);

  // The same function records a graph; the graph shares the variables. Frozen, it needs none.
  td::Graph graph;
  {
    td::GraphScope scope(graph);
    const td::Tensor images = td::Placeholder(td::kFloat32, {-1, 28, 28, 1}, "images");
    td::Identity(td::ArgMax(td::Identity(network(images), "logits"), 1), "classes");
  }
  graph.Freeze().Save("model.pb");

  // A fresh Session runs the file, optimised; another runs it as it stands.
  td::Graph loaded = td::Graph::Load("model.pb");
  td::Session session(loaded), plain(loaded, {.level = td::OptLevel::kO0});
  const td::Tensor logits = session.Run({{"images", test_images}}, "logits");
  const td::Tensor unoptimised = plain.Run({{"images", test_images}}, "logits");
  const bool equal = bool(td::All(logits == eager)) && bool(td::All(logits == unoptimised));
  const td::ExecutableInfo info = session.Explain({"images"}, {"logits"});
  std::cout << "nodes: " << info.nodes_before << " recorded, " << info.nodes_after << " run\n";

  // A host function inside the graph: eager code, called by the Session.
  {
    td::GraphScope scope(loaded);
    td::EagerFunc("count_right", [labels = test_labels](const td::Tensor& classes) {
      return td::Mean(td::Cast(td::Cast(classes, td::kInt32) == labels, td::kFloat32));
    }, {loaded.Find("classes")}, td::kFloat32);
  }
  const td::Tensor accuracy = session.Run({{"images", test_images}}, "count_right");
  std::cout << "accuracy " << accuracy.item<float>() << ", bits equal " << (equal ? "yes" : "no") << '\n';
  return equal ? 0 : 1;
}
