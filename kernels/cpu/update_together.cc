#include "kernels/cpu/update_together.h"

#include <algorithm>
#include <functional>

namespace tandem {
namespace {

struct Together {
  VariableStorage* variables[kMaxTogether];
  int order[kMaxTogether];
  TensorRep* values[kMaxTogether];
  int n;
  absl::FunctionRef<absl::Status(std::span<TensorRep* const>)> update;

  absl::Status From(int i) {
    if (i == n) return update({values, static_cast<size_t>(n)});
    return variables[order[i]]->Update([&](Tensor& value) {
      values[order[i]] = value.rep();
      return From(i + 1);
    });
  }
};

}  // namespace

absl::Status UpdateTogether(const KernelCall& call, std::span<VariableStorage* const> variables,
                            absl::FunctionRef<absl::Status(std::span<TensorRep* const> values)> update) {
  Together together{{}, {}, {}, static_cast<int>(variables.size()), update};
  for (int i = 0; i < together.n; ++i) {
    together.variables[i] = variables[i];
    together.order[i] = i;
  }
  std::sort(together.order, together.order + together.n, [&](int a, int b) { return std::less<>()(variables[a], variables[b]); });
  for (int i = 1; i < together.n; ++i)
    if (variables[together.order[i]] == variables[together.order[i - 1]])
      return call.Error("variable \"", variables[together.order[i]]->name(), "\" is passed twice: a variable and its slots must be different ones");
  return together.From(0);
}

}  // namespace tandem
