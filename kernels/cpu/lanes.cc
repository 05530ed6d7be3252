#include "kernels/cpu/lanes.h"

#include <utility>

#include "kernels/vector/portable.h"

namespace tandem {
namespace {

// GCC 12 vectorises these at -O3 only: ten times as fast.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3")
#endif
template <class From, class To>
void Convert(const void* from, void* to, int64_t n) {
  const From* __restrict x = static_cast<const From*>(from);
  To* __restrict y = static_cast<To*>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<To>(x[i]);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

void WidenHalf(const void* from, void* to, int64_t n) { HalfToFloat(static_cast<const uint16_t*>(from), static_cast<float*>(to), n); }
void NarrowHalf(const void* from, void* to, int64_t n) { FloatToHalf(static_cast<const float*>(from), static_cast<uint16_t*>(to), n); }
void WidenBfloat(const void* from, void* to, int64_t n) { BfloatToFloat(static_cast<const uint16_t*>(from), static_cast<float*>(to), n); }
void NarrowBfloat(const void* from, void* to, int64_t n) { FloatToBfloat(static_cast<const float*>(from), static_cast<uint16_t*>(to), n); }

struct Table {
  Lanes rows[kNumDTypes];
  template <class Narrow, class Wide>
  void Set(DType dtype, VecType type) {
    rows[static_cast<uint8_t>(dtype)] = {true, type, Convert<Narrow, Wide>, Convert<Wide, Narrow>};
  }
  Table() {
    for (const auto& [dtype, type] : {std::pair(kFloat32, VecType::kF32), {kFloat64, VecType::kF64}, {kInt32, VecType::kI32},
                                      {kInt64, VecType::kI64}, {kBool, VecType::kBool}})
      rows[static_cast<uint8_t>(dtype)] = {true, type, nullptr, nullptr};
    rows[static_cast<uint8_t>(kFloat16)] = {true, VecType::kF32, WidenHalf, NarrowHalf};
    rows[static_cast<uint8_t>(kBFloat16)] = {true, VecType::kF32, WidenBfloat, NarrowBfloat};
    Set<int8_t, int32_t>(kInt8, VecType::kI32);
    Set<int16_t, int32_t>(kInt16, VecType::kI32);
    Set<uint8_t, int32_t>(kUint8, VecType::kI32);
    Set<uint16_t, int32_t>(kUint16, VecType::kI32);
    Set<uint32_t, int64_t>(kUint32, VecType::kI64);
  }
};

}  // namespace

const Lanes& LanesOf(DType dtype) {
  static const Table table;
  return table.rows[static_cast<uint8_t>(dtype)];
}

}  // namespace tandem
