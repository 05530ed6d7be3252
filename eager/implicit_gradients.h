// Gradients by the variables that a function reads, found while it runs.
//
//   auto gradients = ImplicitGradients([&](Tensor x, Tensor y) { return Mean(Square(x * w + b - y)); });
//   for (auto& [gradient, variable] : gradients(inputs, outputs)) variable.AssignSub(gradient * .01);
//
// The result has an entry for each trainable variable that was read, in the order of their first reading; a gradient is
// undefined where the value does not depend on it. INVALID_ARGUMENT when no trainable variable was read. Works in both modes.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "core/export.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct GradientAndVariable {
  Tensor gradient;
  Variable variable;
};
struct ValueAndImplicitGradients {
  Tensor value;
  std::vector<GradientAndVariable> gradients;
};

ValueAndImplicitGradients DifferentiateImplicitly(const std::function<Tensor()>& function);

template <class F>
auto ImplicitValueAndGradients(F function) {
  return [function = std::move(function)]<class... A>(const A&... arguments) {
    return DifferentiateImplicitly([&] { return Tensor(function(arguments...)); });
  };
}
template <class F>
auto ImplicitGradients(F function) {
  return [both = ImplicitValueAndGradients(std::move(function))]<class... A>(const A&... arguments) { return both(arguments...).gradients; };
}

}  // namespace tandem
TANDEM_EXPORT_END
