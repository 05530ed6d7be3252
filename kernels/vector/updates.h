// One optimizer step over memory: the rules behind TensorFlow's ResourceApply* ops.
//
//   const UpdateFn step = FindUpdate(UpdateRule::kAdam, kFloat32);
//   step(var, slots, gradient, scalars, n);       // var, slots: read and written; slots and scalars as updates.inc says
//
// Equal bits however a range is cut and on every vector unit. half and bfloat16 are computed in float32, a tile at a time.
#pragma once
#include <cstdint>

#include "core/dtype.h"

namespace tandem {

enum class UpdateRule : uint8_t {
#define UPDATE_RULE(name, slots, scalars) k##name,
#include "kernels/vector/update_rule.inc"
#undef UPDATE_RULE
  kCount,
};

inline constexpr int kMaxUpdateSlots = 3, kMaxUpdateScalars = 6;
constexpr int UpdateSlots(UpdateRule rule) {
  constexpr int kSlots[] = {
#define UPDATE_RULE(name, slots, scalars) slots,
#include "kernels/vector/update_rule.inc"
#undef UPDATE_RULE
  };
  return kSlots[static_cast<int>(rule)];
}
constexpr int UpdateScalars(UpdateRule rule) {
  constexpr int kScalars[] = {
#define UPDATE_RULE(name, slots, scalars) scalars,
#include "kernels/vector/update_rule.inc"
#undef UPDATE_RULE
  };
  return kScalars[static_cast<int>(rule)];
}

// scalars have the dtype of the rest.
using UpdateFn = void (*)(void* var, void* const* slots, const void* gradient, const void* scalars, int64_t n);

// Null for dtypes other than half, bfloat16, float and double.
UpdateFn FindUpdate(UpdateRule rule, DType dtype);

}  // namespace tandem
