// Adding or subtracting in place, for updates of variables.
//
//   FindAccumulate(Accumulation::kAdd, kFloat32)(into, x, n);   // into[i] += x[i]
#pragma once
#include <cstdint>

#include "core/dtype.h"

namespace tandem {

enum class Accumulation : uint8_t { kAdd, kSub };

using AccumulateFn = void (*)(void* into, const void* x, int64_t n);

inline constexpr int64_t kAccumulateGrain = 32 << 10;

// Null for dtypes that are no numbers. half and bfloat16 round once, from float32; integers wrap.
AccumulateFn FindAccumulate(Accumulation kind, DType dtype);

}  // namespace tandem
