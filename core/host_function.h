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

#include "core/status.h"
#include "core/tensor.h"

namespace tandem {

using HostFunction = std::function<Tensors(const Tensors& inputs)>;

std::string HostFunctionToken(std::string_view name, std::string_view version);
// ALREADY_EXISTS when another callable has the name and version.
absl::Status AddHostFunction(std::string token, HostFunction function);
// Null when there is none.
std::shared_ptr<const HostFunction> FindHostFunction(std::string_view token);
// Runs it; NOT_FOUND names the token. An exception comes back as its status, with the function's name.
absl::Status RunHostFunction(std::string_view token, std::span<const Tensor> inputs, Tensors* outputs);
absl::Status RunHostFunction(const HostFunction& function, std::string_view token, std::span<const Tensor> inputs, Tensors* outputs);

}  // namespace tandem
