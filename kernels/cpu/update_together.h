// Several variables updated as one: an optimizer's step writes a variable and its slots.
//
//   return UpdateTogether(call, variables, [&](std::span<TensorRep* const> values) { … values[0]->as<float>() … });
#pragma once
#include <span>

#include "absl/functional/function_ref.h"
#include "core/kernel.h"
#include "core/variable_storage.h"

namespace tandem {

inline constexpr int kMaxTogether = 4;

// Runs update with the values of at most kMaxTogether variables, each locked and, if anyone else held its elements,
// copied. Locks are taken in one order, whoever calls. INVALID_ARGUMENT when two are one variable.
absl::Status UpdateTogether(const KernelCall& call, std::span<VariableStorage* const> variables,
                            absl::FunctionRef<absl::Status(std::span<TensorRep* const> values)> update);

}  // namespace tandem
