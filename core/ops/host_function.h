// Host code inside graphs: a C++ callable that runs eagerly whenever a Run reaches it.
//
//   Tensor y = EagerFunc("square", [](Tensor x) { std::cout << x; return x * x; }, {in}, kFloat32);
//
//   RegisterHostFunction("square", "1", [](const Tensors& in) -> Tensors { return {in[0] * in[0]}; });
//   Tensors z = CallHostFunction("square", "1", {in}, {kFloat32});     // a saved graph can say what it needs
//
// The callable runs on the thread that called Run, with a fresh eager context: it may print, start Runs of its own, open
// tapes. What it throws comes back as the Run's error, with node and function. In gradients it is run again under a
// tape, so whatever it computes with ops is differentiable.
#pragma once
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

using HostFunction = std::function<Tensors(const Tensors& inputs)>;

// Registered functions are global to the process. ALREADY_EXISTS when another callable has the name and version.
void RegisterHostFunction(std::string_view name, std::string_view version, HostFunction function);

// Calls a registered function: at once when eager (NOT_FOUND if there is none), else by a node that looks it up when it
// runs. The results must have the dtypes Tout: INVALID_ARGUMENT. Their shapes are not known before.
Tensors CallHostFunction(std::string_view name, std::string_view version, const Tensors& inputs, const std::vector<DType>& Tout,
                         Origin origin = Here());

namespace host_function {

// Owned by the graph when there is one; else called at once.
Tensors Call(std::string_view name, HostFunction function, const Tensors& inputs, const std::vector<DType>& Tout, Origin origin);
[[noreturn]] void ThrowArity(size_t given);

inline Tensors List(Tensor t) { return {std::move(t)}; }
inline Tensors List(Tensors t) { return t; }

template <size_t I>
using TensorArgument = const Tensor&;
template <class F, size_t... I>
bool Spread(const F& function, const Tensors& in, Tensors& out, std::index_sequence<I...>) {
  if constexpr (std::invocable<const F&, TensorArgument<I>...>) {
    if (in.size() != sizeof...(I)) return false;
    if constexpr (std::is_void_v<std::invoke_result_t<const F&, TensorArgument<I>...>>) function(in[I]...);
    else out = List(function(in[I]...));
    return true;
  }
  return false;
}
// A function of tensors, up to eight, or of Tensors, as one of Tensors.
template <class F>
HostFunction Make(F function) {
  return [function = std::move(function)](const Tensors& in) -> Tensors {
    Tensors out;
    if constexpr (std::invocable<const F&, const Tensors&>) {
      if constexpr (std::is_void_v<std::invoke_result_t<const F&, const Tensors&>>) function(in);
      else out = List(function(in));
    } else {
      const bool called = [&]<size_t... N>(std::index_sequence<N...>) {
        return (Spread(function, in, out, std::make_index_sequence<N>()) || ...);
      }(std::make_index_sequence<9>());
      if (!called) ThrowArity(in.size());
    }
    return out;
  };
}

}  // namespace host_function

// Calls `function`, a C++ callable that takes each input as a Tensor or all as Tensors, and returns a Tensor or Tensors of
// dtype Tout. Eagerly at once; in a graph by a node, whose graph owns the callable under this name.
template <class F>
Tensor EagerFunc(std::string_view name, F function, const Tensors& inputs, DType Tout, Origin origin = Here()) {
  return std::move(host_function::Call(name, host_function::Make(std::move(function)), inputs, {Tout}, origin)[0]);
}
template <class F>
Tensors EagerFunc(std::string_view name, F function, const Tensors& inputs, const std::vector<DType>& Tout, Origin origin = Here()) {
  return host_function::Call(name, host_function::Make(std::move(function)), inputs, Tout, origin);
}

}  // namespace tandem
TANDEM_EXPORT_END
