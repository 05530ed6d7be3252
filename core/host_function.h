// Host functions: named C++ callables that graphs call (op EagerPyFunc).
//
//   RegisterHostFunction("square", "1", [](const Tensors& in) -> Tensors { return {in[0] * in[0]}; });
//
// A token is "name@version" for registered functions, and a name unique to its graph for those that a graph owns.
// Functions run on the calling thread with a fresh eager context.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "core/status.h"
#include "core/tensor.h"

namespace tandem {

using HostFunction = std::function<Tensors(const Tensors& inputs)>;

// A context whose graph can own callables (graph/ implements it): gives the token under which nodes find this one.
class HostFunctionOwner {
 public:
  virtual ~HostFunctionOwner() = default;
  virtual absl::StatusOr<std::string> OwnHostFunction(std::string_view name, HostFunction function) = 0;
};

// The token of a function's derivative: a host function of num_inputs inputs and the gradients of its outputs, that gives
// the gradients of the differentiable inputs. FindHostFunction and ResolveHostFunction make it from the function itself.
std::string GradientToken(std::string_view token, int num_inputs);
// Finds the function of a token with `lookup`, which knows tokens without derivatives; null when there is none.
std::shared_ptr<const HostFunction> ResolveHostFunction(
    std::string_view token, absl::FunctionRef<std::shared_ptr<const HostFunction>(std::string_view)> lookup);
// Wiring (tandem.cc): runs the function under a tape. Gives one tensor for each input, undefined where none flows.
using HostGradientFn = Tensors (*)(const HostFunction& function, const Tensors& inputs, const Tensors& dy);
void SetHostGradient(HostGradientFn fn);

std::string HostFunctionToken(std::string_view name, std::string_view version);
// ALREADY_EXISTS when another callable has the name and version.
absl::Status AddHostFunction(std::string token, HostFunction function);
// Null when there is none.
std::shared_ptr<const HostFunction> FindHostFunction(std::string_view token);
// Whether what a function gave are defined eager tensors of these dtypes: INVALID_ARGUMENT names the function.
absl::Status CheckHostResults(std::string_view name, std::span<const Tensor> results, std::span<const DType> dtypes);
// Runs it; NOT_FOUND names the token. An exception comes back as its status, with the function's name.
absl::Status RunHostFunction(std::string_view token, std::span<const Tensor> inputs, Tensors* outputs);
absl::Status RunHostFunction(const HostFunction& function, std::string_view token, std::span<const Tensor> inputs, Tensors* outputs);

}  // namespace tandem
