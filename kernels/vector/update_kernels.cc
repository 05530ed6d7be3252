#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/update_kernels.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/kernels-inl.h"
#include "kernels/vector/update_table.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

template <typename V>
struct Rules {
  using T = typename V::Elem;
#include "kernels/vector/updates.inc"
};

template <typename Rule, int kSlots, typename V>
void Step(void* var_data, void* const* slot_data, const void* gradient_data, const void* scalars, int64_t n) {
  using T = typename V::Elem;
  using M = Memory<V>;
  constexpr int64_t kLanes = V::kLanes;
  const Rule rule(static_cast<const T*>(scalars));
  T* const var = static_cast<T*>(var_data);
  const T* const gradient = static_cast<const T*>(gradient_data);
  T* slots[kSlots + 1];
  for (int k = 0; k < kSlots; ++k) slots[k] = static_cast<T*>(slot_data[k]);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    V v = M::Load(var + i), slot[kSlots + 1];
    for (int k = 0; k < kSlots; ++k) slot[k] = M::Load(slots[k] + i);
    rule.Step(v, slot, M::Load(gradient + i));
    for (int k = 0; k < kSlots; ++k) M::Store(slot[k], slots[k] + i);
    M::Store(v, var + i);
  }
  if (i == n) return;
  const auto rest = static_cast<size_t>(n - i);
  V v = M::LoadN(var + i, rest), slot[kSlots + 1];
  for (int k = 0; k < kSlots; ++k) slot[k] = M::LoadN(slots[k] + i, rest);
  rule.Step(v, slot, M::LoadN(gradient + i, rest));
  for (int k = 0; k < kSlots; ++k) M::StoreN(slot[k], slots[k] + i, rest);
  M::StoreN(v, var + i, rest);
}

}  // namespace

void FillUpdates(UpdateTable& table) {
#define UPDATE_RULE(name, slots, scalars)                                                                            \
  table.step[static_cast<int>(UpdateRule::k##name)][0] = &Step<Rules<F32<kLanes32>>::name, slots, F32<kLanes32>>;    \
  table.step[static_cast<int>(UpdateRule::k##name)][1] = &Step<Rules<F64<kLanes64>>::name, slots, F64<kLanes64>>;
#include "kernels/vector/update_rule.inc"
#undef UPDATE_RULE
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(FillUpdates);
void AddUpdates(UpdateTable& table) { HWY_DYNAMIC_DISPATCH(FillUpdates)(table); }
}  // namespace tandem::vec
#endif
