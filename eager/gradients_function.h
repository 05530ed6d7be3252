// Functions of gradients, in the manner of mathematics: f -> f'.
//
//   auto square = [](Tensor x) { return x * x; };
//   auto grad = GradientsFunction(square);
//   grad(3.)[0];                                                                // 6
//   GradientsFunction([&](Tensor x) { return grad(x)[0]; })(3.)[0];             // 2
//   auto [value, gradients] = ValueAndGradientsFunction(square)(3.);            // 9, {6}
//
// The function takes tensors and returns one; arguments may be tensors, variables or C++ scalars. The result has one
// gradient for each argument, undefined where the value does not depend on it (or is itself undefined).
#pragma once
#include <functional>
#include <utility>

#include "core/export.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct ValueAndGradients {
  Tensor value;
  Tensors gradients;
};

// What both functions do, with the arguments in a list: they are values of their own, even where one tensor was given
// twice. Errors are those of GradientTape::Gradient and of the function.
ValueAndGradients Differentiate(Tensors arguments, const std::function<Tensor(const Tensors&)>& function);

template <class F>
auto ValueAndGradientsFunction(F function) {
  return [function = std::move(function)]<class... A>(const A&... arguments) {
    return Differentiate({Tensor(arguments)...}, [&](const Tensors& a) {
      return [&]<size_t... I>(std::index_sequence<I...>) { return Tensor(function(a[I]...)); }(std::index_sequence_for<A...>());
    });
  };
}

template <class F>
auto GradientsFunction(F function) {
  return [both = ValueAndGradientsFunction(std::move(function))]<class... A>(const A&... arguments) { return both(arguments...).gradients; };
}

}  // namespace tandem
TANDEM_EXPORT_END
