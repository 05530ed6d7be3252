// A dynamic model: what is computed next depends on values. Gradient descent with a backtracking line search.
#include <iostream>
#include <utility>

#include "tandem.h"

namespace td = tandem;

template <class F>
std::pair<td::Tensor, td::Tensor> LineSearchStep(F fn, td::Tensor init_x, double rate = 1.) {
  td::GradientTape tape;
  tape.Watch(init_x);  // a tensor, unlike a variable, is recorded on request
  td::Tensor value = fn(init_x);
  td::Tensor grad = tape.Gradient(value, init_x);
  td::Tensor grad_norm = td::Sum(grad * grad);
  td::Tensor init_value = value, x = init_x;
  while (value > init_value - rate * grad_norm) {
    x = init_x - rate * grad;
    value = fn(x);
    rate /= 2.;
  }
  return {x, value};
}

int main() {
  auto bowl = [](td::Tensor x) { return td::Sum(x * x * td::Tensor({1., 3.})); };
  td::Tensor x = {10., 1.};
  for (int step = 0; step < 5; ++step) {
    auto [next, value] = LineSearchStep(bowl, x);
    x = next;
    std::cout << x.ToString() << ' ' << value.ToString() << '\n';
  }
}
