#include "kernels/cpu/lanes.h"

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tandem {
namespace {

template <class Narrow, class Wide>
void Widen(const void* from, void* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) static_cast<Wide*>(to)[i] = static_cast<Wide>(static_cast<const Narrow*>(from)[i]);
}
template <class Narrow, class Wide>
void NarrowTo(const void* from, void* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) static_cast<Narrow*>(to)[i] = static_cast<Narrow>(static_cast<const Wide*>(from)[i]);
}

#if defined(__x86_64__)
// The conversion instructions round to nearest even and keep denormals, as Half's own code does.
[[gnu::target("avx,f16c")]] void WidenHalfF16c(const void* from, void* to, int64_t n) {
  const auto* src = static_cast<const __m128i_u*>(from);
  auto* dst = static_cast<float*>(to);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128(src + i / 8)));
  Widen<Half, float>(static_cast<const Half*>(from) + i, dst + i, n - i);
}
[[gnu::target("avx,f16c")]] void NarrowHalfF16c(const void* from, void* to, int64_t n) {
  const auto* src = static_cast<const float*>(from);
  auto* dst = static_cast<__m128i_u*>(to);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) _mm_storeu_si128(dst + i / 8, _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
  NarrowTo<Half, float>(src + i, static_cast<Half*>(to) + i, n - i);
}
bool HasF16c() { return __builtin_cpu_supports("f16c") && __builtin_cpu_supports("avx"); }
#endif

struct Table {
  Lanes rows[kNumDTypes];
  template <class Narrow, class Wide>
  void Set(DType dtype, VecType type) {
    rows[static_cast<uint8_t>(dtype)] = {true, type, Widen<Narrow, Wide>, NarrowTo<Narrow, Wide>};
  }
  Table() {
    for (const auto& [dtype, type] : {std::pair(kFloat32, VecType::kF32), {kFloat64, VecType::kF64}, {kInt32, VecType::kI32},
                                      {kInt64, VecType::kI64}, {kBool, VecType::kBool}})
      rows[static_cast<uint8_t>(dtype)] = {true, type, nullptr, nullptr};
    Set<Half, float>(kFloat16, VecType::kF32);
    Set<BFloat16, float>(kBFloat16, VecType::kF32);
    Set<int8_t, int32_t>(kInt8, VecType::kI32);
    Set<int16_t, int32_t>(kInt16, VecType::kI32);
    Set<uint8_t, int32_t>(kUint8, VecType::kI32);
    Set<uint16_t, int32_t>(kUint16, VecType::kI32);
    Set<uint32_t, int64_t>(kUint32, VecType::kI64);
#if defined(__x86_64__)
    if (HasF16c()) rows[static_cast<uint8_t>(kFloat16)] = {true, VecType::kF32, WidenHalfF16c, NarrowHalfF16c};
#endif
  }
};

}  // namespace

const Lanes& LanesOf(DType dtype) {
  static const Table table;
  return table.rows[static_cast<uint8_t>(dtype)];
}

void TruncateToBFloat16(const float* from, BFloat16* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const auto high = static_cast<uint16_t>(std::bit_cast<uint32_t>(from[i]) >> 16);
    to[i] = BFloat16::FromBits(std::isnan(from[i]) ? static_cast<uint16_t>(high | 0x40) : high);
  }
}

}  // namespace tandem
