// Less memory for more time: a function whose gradient runs it again, instead of keeping what it computed.
//
//   auto block = Recompute([&](Tensor x) { return layer2(layer1(x)); });
//   Tensor y = block(x);                       // a tape keeps x; the activations inside go
//   tape.Gradient(y, {x, w});                  // runs the block once more, then its gradient
//
// In both modes, for tensors and for the variables that the function reads. Run again it must compute the same: random
// ops need seeds of their own (stateless ones), variables must not have changed. Chen et al., "Training Deep Nets with
// Sublinear Memory Cost", 2016.
#pragma once
#include <functional>
#include <memory>

#include "core/export.h"
#include "core/ops/host_function.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

namespace recompute {
using Function = std::function<Tensors(const Tensors&)>;
Tensors Run(const std::shared_ptr<const Function>& function, const Tensors& inputs, Origin origin);
}  // namespace recompute

// function: of Tensors, one or each for itself, giving Tensor or Tensors. The callable that comes back takes Tensors.
template <class F>
auto Recompute(F function, Origin origin = Here()) {
  auto shared = std::make_shared<const recompute::Function>(host_function::Make(function));
  return [shared, origin, function = std::move(function)]<class... A>(const A&... arguments) {
    Tensors in;
    if constexpr (sizeof...(A) == 1 && (std::same_as<A, Tensors> && ...)) in = Tensors(arguments...);
    else in = Tensors{Tensor(arguments)...};
    Tensors out = recompute::Run(shared, in, origin);
    constexpr bool kMany = []<size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::invocable<const F&, host_function::TensorArgument<I>...>)
        return std::same_as<std::invoke_result_t<const F&, host_function::TensorArgument<I>...>, Tensors>;
      else
        return std::same_as<std::invoke_result_t<const F&, const Tensors&>, Tensors>;
    }(std::index_sequence_for<A...>());
    if constexpr (kMany) return out;
    else return Tensor(std::move(out[0]));
  };
}

}  // namespace tandem
TANDEM_EXPORT_END
