#include "kernels/vector/updates.h"

#include <algorithm>

#include "kernels/vector/isa_tables.h"
#include "kernels/vector/portable.h"
#include "kernels/vector/update_table.h"

namespace tandem {
namespace vec {

void AddUpdates(UpdateTable& table);

const UpdateTable& UpdatesFor(Isa isa) {
  static IsaTables<UpdateTable> tables(AddUpdates);
  return tables[isa];
}

}  // namespace vec

namespace {

const vec::UpdateTable& Active() {
  static const vec::UpdateTable& table = vec::UpdatesFor(vec::ActiveIsa());
  return table;
}

template <bool kHalf>
void ToFloat(const uint16_t* x, float* y, int64_t n) {
  if constexpr (kHalf) HalfToFloat(x, y, n);
  else BfloatToFloat(x, y, n);
}
template <bool kHalf>
void FromFloat(const float* x, uint16_t* y, int64_t n) {
  if constexpr (kHalf) FloatToHalf(x, y, n);
  else FloatToBfloat(x, y, n);
}

template <UpdateRule rule, bool kHalf>
void Widened(void* var_data, void* const* slot_data, const void* gradient_data, const void* scalar_data, int64_t n) {
  constexpr int kSlots = UpdateSlots(rule);
  constexpr int64_t kTile = 256;
  alignas(64) float var[kTile], gradient[kTile], slot[kSlots + 1][kTile], scalars[kMaxUpdateScalars];
  ToFloat<kHalf>(static_cast<const uint16_t*>(scalar_data), scalars, UpdateScalars(rule));
  void* slots[kSlots + 1];
  for (int k = 0; k < kSlots; ++k) slots[k] = slot[k];
  const UpdateFn step = Active().step[static_cast<int>(rule)][0];
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t m = std::min(kTile, n - i);
    ToFloat<kHalf>(static_cast<const uint16_t*>(var_data) + i, var, m);
    ToFloat<kHalf>(static_cast<const uint16_t*>(gradient_data) + i, gradient, m);
    for (int k = 0; k < kSlots; ++k) ToFloat<kHalf>(static_cast<const uint16_t*>(slot_data[k]) + i, slot[k], m);
    step(var, slots, gradient, scalars, m);
    for (int k = 0; k < kSlots; ++k) FromFloat<kHalf>(slot[k], static_cast<uint16_t*>(slot_data[k]) + i, m);
    FromFloat<kHalf>(var, static_cast<uint16_t*>(var_data) + i, m);
  }
}

constexpr UpdateFn kWidened[][2] = {
#define UPDATE_RULE(name, slots, scalars) {Widened<UpdateRule::k##name, true>, Widened<UpdateRule::k##name, false>},
#include "kernels/vector/update_rule.inc"
#undef UPDATE_RULE
};

}  // namespace

UpdateFn FindUpdate(UpdateRule rule, DType dtype) {
  const int r = static_cast<int>(rule);
  switch (dtype) {
    case kFloat32: return Active().step[r][0];
    case kFloat64: return Active().step[r][1];
    case kFloat16: return kWidened[r][0];
    case kBFloat16: return kWidened[r][1];
    default: return nullptr;
  }
}

}  // namespace tandem
