// Metrics gather a figure over many batches; their state is variables, so they also work inside a graph.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  td::metrics::Mean m("loss");
  m(0);
  m(5);
  std::cout << m.Result().ToString() << '\n';
  m({8, 9});
  std::cout << m.Result().ToString() << '\n';

  td::metrics::SparseCategoricalAccuracy accuracy;
  td::Tensor logits = {{2., 1., 0.}, {0., 1., 2.}, {0., 3., 1.}};
  accuracy(td::Tensor({0, 2, 2}), logits);
  std::cout << accuracy.Result().ToString() << '\n';
  accuracy.Reset();
  accuracy(td::Tensor({0, 2, 2}), logits, {.sample_weight = {1., 1., 0.}});
  std::cout << accuracy.Result().ToString() << '\n';

  // Recorded: every Run of the result updates the metric first.
  td::Graph graph;
  td::Tensor mean;
  {
    td::GraphScope scope(graph);
    mean = m(td::Placeholder(td::kFloat32, "values"));
  }
  td::Session session(graph);
  std::cout << session.Run({{"values", {98., 0.}}}, mean).ToString() << '\n';
}
