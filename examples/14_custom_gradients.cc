// A derivative of one's own, where the rules give a worse one or another is wanted. It holds in both modes.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  // log(1 + exp(x)) by the rules: exp overflows, and inf / inf is not a number.
  auto plain = [](td::Tensor x) { return td::Log(1 + td::Exp(x)); };
  auto plain_grad = td::GradientsFunction(plain);
  std::cout << plain_grad(0.)[0].ToString() << ' ' << plain_grad(100.)[0].ToString() << '\n';

  // The same with the derivative written so that it does not overflow; exp(x) is computed once.
  auto log1pexp = td::CustomGradient([](td::Tensor x) {
    td::Tensor e = td::Exp(x);
    return td::WithGradient{td::Log(1 + e), [e](td::Tensor dy) { return dy * (1 - 1 / (1 + e)); }};
  });
  auto grad_log1pexp = td::GradientsFunction(log1pexp);
  std::cout << grad_log1pexp(0.)[0].ToString() << ' ' << grad_log1pexp(100.)[0].ToString() << '\n';

  // A gradient kept small: the value passes, what flows back is clipped.
  auto clip_gradient_by_norm = td::CustomGradient([](td::Tensor x) {
    return td::WithGradient{td::Identity(x), [](td::Tensor dy) { return dy / td::Maximum(td::Sqrt(td::Sum(dy * dy)), 1.); }};
  });
  td::Tensor x = {3., 4.};
  auto steep = td::GradientsFunction([&](td::Tensor t) { return td::Sum(t * t); });
  auto clipped = td::GradientsFunction([&](td::Tensor t) {
    td::Tensor c = clip_gradient_by_norm(t);
    return td::Sum(c * c);
  });
  std::cout << steep(x)[0].ToString() << ' ' << clipped(x)[0].ToString() << '\n';

  // Another derivative for an op that others wrote: guided backpropagation through every Relu in the scope.
  td::GradientOverride guided("Relu", [](const td::Tensors& in, const td::Tensors&, const td::Tensors& dy) -> td::Tensors {
    return {td::Select(td::LogicalAnd(in[0] > 0, dy[0] > 0), dy[0], 0)};
  });
  auto relu_grad = td::GradientsFunction([](td::Tensor t) { return td::Sum(td::Relu(t) * td::Tensor({1., -1.})); });
  std::cout << relu_grad(x)[0].ToString() << '\n';

  // Where a NaN comes from: the hook names the first operation that gave one, and its line.
  td::NanHook hook;
  try {
    plain(100.);
  } catch (const td::Error& error) {
    std::cout << error.what() << '\n';
  }
}
