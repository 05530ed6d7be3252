// Capture: eager code, traced once, becomes a function that runs an optimised graph: a model, and a whole training step.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  td::Variable w({{0.}}), b({0.});
  const auto model = [&](const td::Tensor& x) { return td::MatMul(x, w) + b; };

  auto f = td::Capture(model, {{td::kFloat32, {-1, 1}}});          // any number of rows
  std::cout << f(td::Tensor({{1.}, {2.}})).ToString() << '\n';
  try {
    f(td::Tensor({{1., 2.}}));
  } catch (const td::Error& error) {                               // what does not fit is an error, never a retrace
    std::cout << error.what() << '\n';
  }

  // Forward pass, gradient and update in one graph; variables are shared with the code around it.
  auto step = td::Capture([&](const td::Tensor& x, const td::Tensor& y) {
    td::GradientTape tape;
    const td::Tensor loss = td::Mean(td::Square(model(x) - y));
    const td::Tensors grads = tape.Gradient(loss, {w, b});
    w.AssignSub(grads[0] * .1);
    b.AssignSub(grads[1] * .1);
    return loss;
  }, {{td::kFloat32, {-1, 1}}, {td::kFloat32, {-1, 1}}});
  const td::Tensor x = {{-1.}, {0.}, {1.}, {2.}}, y = x * 3. + 2.;
  for (int i = 0; i <= 60; ++i) {
    const td::Tensor loss = step(x, y);
    if (i % 20 == 0) std::cout << "step " << i << ": loss below " << (loss.item<float>() < 1e-2f ? "0.01" : "20") << '\n';
  }
  std::cout << "W near 3: " << (std::abs(w.item<float>() - 3) < .1 ? "yes" : "no")
            << ", B near 2: " << (std::abs(b.item<float>() - 2) < .1 ? "yes" : "no") << '\n';
  std::cout << "traced " << step.traces() << " time\n";

  // It sees the variables as they are now, and is differentiable like the function it came from.
  td::Tensor at = {{10.}};
  td::GradientTape tape;
  tape.Watch(at);
  const td::Tensor out = f(at);
  std::cout << "slope is W: " << (bool(tape.Gradient(out, at) == w.Read()) ? "yes" : "no") << '\n';
}
