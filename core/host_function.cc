#include "core/host_function.h"

#include <map>
#include <memory>
#include <mutex>

#include "core/context.h"

namespace tandem {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const HostFunction>, std::less<>> functions;
};
Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

}  // namespace

std::string HostFunctionToken(std::string_view name, std::string_view version) {
  return absl::StrCat(std::string(name), "@", std::string(version));
}

absl::Status AddHostFunction(std::string token, HostFunction function) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto [it, added] = r.functions.try_emplace(token, std::make_shared<const HostFunction>(std::move(function)));
  if (!added) return absl::AlreadyExistsError(absl::StrCat("host function \"", token, "\" is registered already"));
  return absl::OkStatus();
}

std::shared_ptr<const HostFunction> FindHostFunction(std::string_view token) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.functions.find(token);
  return it == r.functions.end() ? nullptr : it->second;
}

absl::Status RunHostFunction(const HostFunction& function, std::string_view token, std::span<const Tensor> inputs, Tensors* outputs) {
  ContextScope eager(nullptr);  // a fresh eager context, whatever mode the caller is in
  try {
    *outputs = function(Tensors(inputs.begin(), inputs.end()));
    return absl::OkStatus();
  } catch (...) {
    const absl::Status status = StatusFromException(std::current_exception());
    return absl::Status(status.code(), absl::StrCat("host function \"", std::string(token), "\": ", status.message()));
  }
}

absl::Status RunHostFunction(std::string_view token, std::span<const Tensor> inputs, Tensors* outputs) {
  const auto function = FindHostFunction(token);
  if (!function)
    return absl::NotFoundError(absl::StrCat("host function \"", std::string(token), "\" is not registered in this process: call RegisterHostFunction first"));
  return RunHostFunction(*function, token, inputs, outputs);
}

}  // namespace tandem
