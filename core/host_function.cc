#include "core/host_function.h"

#include <charconv>
#include <map>
#include <memory>
#include <mutex>

#include "core/context.h"
#include "core/gradient.h"

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

constexpr std::string_view kGradientPrefix = "gradient:";
HostGradientFn host_gradient = nullptr;

Tensors RunGradient(const HostFunction& function, const Tensors& in, size_t num_inputs) {
  if (in.size() < num_inputs) ThrowError(InvalidArgument("the derivative needs ", num_inputs, " inputs and the gradients of the outputs, got ", in.size(), " tensors"));
  const Tensors x(in.begin(), in.begin() + num_inputs), dy(in.begin() + num_inputs, in.end());
  Tensors dx = host_gradient(function, x, dy), out;
  for (size_t i = 0; i < x.size(); ++i)
    if (IsDifferentiable(x[i].dtype())) out.push_back(dx[i].defined() ? std::move(dx[i]) : ZerosOfShape(x[i].dtype(), x[i].shape()));
  return out;
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
  return ResolveHostFunction(token, [](std::string_view name) -> std::shared_ptr<const HostFunction> {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    const auto it = r.functions.find(name);
    return it == r.functions.end() ? nullptr : it->second;
  });
}

std::string GradientToken(std::string_view token, int num_inputs) {
  return absl::StrCat(std::string(kGradientPrefix), num_inputs, ":", std::string(token));
}

void SetHostGradient(HostGradientFn fn) { host_gradient = fn; }

std::shared_ptr<const HostFunction> ResolveHostFunction(
    std::string_view token, absl::FunctionRef<std::shared_ptr<const HostFunction>(std::string_view)> lookup) {
  // Derivatives of derivatives nest their prefixes.
  std::vector<size_t> num_inputs;
  std::string_view rest = token;
  while (rest.starts_with(kGradientPrefix)) {
    rest.remove_prefix(kGradientPrefix.size());
    size_t n = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    if (error != std::errc() || end == rest.data() + rest.size() || *end != ':') return nullptr;
    rest.remove_prefix(end + 1 - rest.data());
    num_inputs.push_back(n);
  }
  std::shared_ptr<const HostFunction> function = lookup(rest);
  for (; function && !num_inputs.empty(); num_inputs.pop_back())
    function = std::make_shared<const HostFunction>(
        [of = function, n = num_inputs.back()](const Tensors& in) { return RunGradient(*of, in, n); });
  return function;
}

absl::Status CheckHostResults(std::string_view name, std::span<const Tensor> results, std::span<const DType> dtypes) {
  const std::string who = absl::StrCat("host function \"", std::string(name), "\"");
  if (results.size() != dtypes.size()) return InvalidArgument(who, ": gave ", results.size(), " tensors, ", dtypes.size(), " are declared");
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() || results[i].symbolic()) return InvalidArgument(who, ": result ", i, results[i].defined() ? " has no value" : " is undefined");
    if (results[i].dtype() != dtypes[i])
      return InvalidArgument(who, ": result ", i, " is ", std::string(DTypeName(results[i].dtype())), ", declared is ", std::string(DTypeName(dtypes[i])));
  }
  return absl::OkStatus();
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
