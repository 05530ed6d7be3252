// A tape records what is computed while it lives, and differentiates it.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  td::Variable w({{1.0}});
  td::GradientTape tape;
  td::Tensor loss = w * w;  // w is trainable, so the tape watches it of its own accord
  std::cout << tape.Gradient(loss, w) << '\n';

  // A tape serves one call, unless it is made persistent.
  try {
    tape.Gradient(loss, w);
  } catch (const td::Error& error) {
    std::cout << error.what() << '\n';
  }

  // Tensors are watched on request. Explain says how a result depends on a source, or what is in the way.
  td::Tensor x = 3.;
  td::GradientTape persistent({.persistent = true});
  persistent.Watch(x);
  td::Tensor y = x * x, steps = td::Floor(x) * 2;
  std::cout << persistent.Gradient(y, x).ToString() << '\n';
  std::cout << std::boolalpha << persistent.Gradient(steps, x).defined() << '\n';
  std::cout << persistent.Explain(y, x) << '\n' << persistent.Explain(steps, x) << '\n';

  // The derivative of each element of a result, and how it moves along a direction.
  td::Tensor v = {1., 2.};
  td::GradientTape rows;
  rows.Watch(v);
  std::cout << rows.Jacobian(v * v * v, v).ToString() << '\n';
  td::ForwardAccumulator along(v, {1., 10.});
  std::cout << along.Jvp(v * v).ToString() << '\n';
}
