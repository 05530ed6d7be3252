// Functions whose derivative the user gives, usable in both modes.
//
//   auto log1pexp = CustomGradient([](Tensor x) {
//     Tensor e = Exp(x);
//     return WithGradient{Log(1 + e), [e](Tensor dy) { return dy * (1 - 1 / (1 + e)); }};
//   });
//   log1pexp(100.);       // its gradient is 1, where the plain formula gives nan
//
// With several outputs, value is Tensors and the backward function takes Tensors. It returns one gradient for each
// argument (for one, that tensor), undefined where none flows. What the derivative computes is itself recorded, so
// higher orders follow from it. Gradients flow to the arguments only, not to what the function captures.
#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/export.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

using BackwardFn = std::function<Tensors(const Tensors& dy)>;

template <class Value, class Backward>
struct WithGradient {
  Value value;
  Backward backward;
};
template <class Value, class Backward>
WithGradient(Value, Backward) -> WithGradient<Value, Backward>;

// Tells the current context that outputs are a function of inputs with this derivative, and replaces them where it must.
// At differentiation: INVALID_ARGUMENT when backward gives another number of tensors than there are inputs, or one whose
// dtype or shape is not its input's.
void ApplyCustomGradient(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward, Origin origin);

template <class Value, class Backward>
BackwardFn MakeBackward(Backward backward) {
  return [backward = std::move(backward)](const Tensors& dy) -> Tensors {
    if constexpr (std::same_as<Value, Tensor> && std::invocable<const Backward&, const Tensor&>) {
      if constexpr (std::convertible_to<std::invoke_result_t<const Backward&, const Tensor&>, Tensor>) return {Tensor(backward(dy[0]))};
      else return backward(dy[0]);
    } else {
      if constexpr (std::convertible_to<std::invoke_result_t<const Backward&, const Tensors&>, Tensor>) return {Tensor(backward(dy))};
      else return backward(dy);
    }
  };
}

template <class F>
auto CustomGradient(F function, std::string name = "CustomGradient", Origin origin = Here()) {
  return [function = std::move(function), name = std::move(name), origin]<class... A>(const A&... arguments) {
    const Tensors inputs{Tensor(arguments)...};
    auto result = [&]<size_t... I>(std::index_sequence<I...>) { return function(inputs[I]...); }(std::index_sequence_for<A...>());
    using Value = decltype(result.value);
    BackwardFn backward = MakeBackward<Value>(std::move(result.backward));
    if constexpr (std::same_as<Value, Tensors>) {
      ApplyCustomGradient(name, inputs, result.value, std::move(backward), origin);
      return std::move(result.value);
    } else {
      Tensors outputs{Tensor(std::move(result.value))};
      ApplyCustomGradient(name, inputs, outputs, std::move(backward), origin);
      return std::move(outputs[0]);
    }
  };
}

}  // namespace tandem
TANDEM_EXPORT_END
