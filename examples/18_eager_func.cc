// Eager code inside a graph: a C++ function that runs, prints and computes whenever a Run reaches its node.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  td::Graph graph;
  td::GraphScope scope(graph);
  td::Tensor in = td::Placeholder(td::kFloat32, "in");             // shape unknown; {} would be a scalar
  td::Tensor pf = td::EagerFunc("square", [](const td::Tensor& x) {
    td::Tensor y = td::MatMul(x, x);
    std::cout << y << '\n';                                        // prints a value: this is eager
    return y;
  }, {in}, td::kFloat32);
  td::Tensor dx = td::Gradients(pf, in);                           // through the function's own tape

  td::Session session(graph);
  std::cout << session.Run({{in, {{2.0}}}}, pf).ToString() << '\n';
  std::cout << session.Run({{in, {{2.0}}}}, dx).ToString() << '\n';
}
