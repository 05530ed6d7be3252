// What the tests of the vector layer share: values that matter, and comparing bits where any NaN equals any NaN.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/vector/elementwise.h"
#include "kernels/vector/kernel_table.h"

namespace tandem {

template <typename T>
bool SameBits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <typename T> inline constexpr VecType kVecTypeOf = VecType::kBool;
template <> inline constexpr VecType kVecTypeOf<float> = VecType::kF32;
template <> inline constexpr VecType kVecTypeOf<double> = VecType::kF64;
template <> inline constexpr VecType kVecTypeOf<int32_t> = VecType::kI32;
template <> inline constexpr VecType kVecTypeOf<int64_t> = VecType::kI64;

// Zeros, ones, halves, bounds, denormals, infinities, NaN: then random bits and numbers near one.
template <typename T>
std::vector<T> Values(size_t n, uint32_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> v;
  if constexpr (std::is_floating_point_v<T>) {
    v = {T(0), T(-0.0), T(1), T(-1), T(0.5), T(1.5), T(2.5), T(-2.5), T(3), T(-7), Limits::denorm_min(), -Limits::min(), Limits::max(), Limits::lowest(),
         Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), T(88.7), T(-103.9), T(709.7), T(1e-30), T(16777217), T(-2147483648.0), T(4e9), T(1e6), T(-1e19)};
  } else if constexpr (std::is_same_v<T, uint8_t>) {
    v = {0, 1};
  } else {
    v = {0, 1, -1, 2, -2, 3, -7, 100, Limits::min(), Limits::max(), static_cast<T>(Limits::max() - 63), static_cast<T>(16777217)};
  }
  std::mt19937_64 random(seed);
  std::shuffle(v.begin(), v.end(), random);
  while (v.size() < n) {
    if constexpr (std::is_same_v<T, uint8_t>) {
      v.push_back(random() & 1);
    } else if constexpr (std::is_floating_point_v<T>) {
      T bits;
      const uint64_t r = random();
      std::memcpy(&bits, &r, sizeof(T));
      v.push_back(r % 3 ? std::normal_distribution<T>(0, 3)(random) : bits);
    } else {
      v.push_back(static_cast<T>(random() >> (random() % 64)));
    }
  }
  v.resize(n);
  return v;
}

// Every vector unit this machine has, the baseline included.
inline std::vector<vec::Isa> Isas() {
  std::vector<vec::Isa> all;
  for (vec::Isa isa : {vec::Isa::kBaseline, vec::Isa::kAvx2, vec::Isa::kAvx512}) {
    if (isa <= vec::ActiveIsa()) all.push_back(isa);
  }
  return all;
}

}  // namespace tandem
