// half and bfloat16 to float32 and back, for kernels that compute in float32.
//
//   Widen(x.dtype, x.data, buffer, n); … Narrow(y.dtype, buffer, y.data, n);
#pragma once
#include "core/dtype.h"
#include "kernels/vector/portable.h"

namespace tandem {

inline void Widen(DType half_type, const void* x, float* y, int64_t n) {
  if (half_type == kFloat16) HalfToFloat(static_cast<const uint16_t*>(x), y, n);
  else BfloatToFloat(static_cast<const uint16_t*>(x), y, n);
}
inline void Narrow(DType half_type, const float* x, void* y, int64_t n) {
  if (half_type == kFloat16) FloatToHalf(x, static_cast<uint16_t*>(y), n);
  else FloatToBfloat(x, static_cast<uint16_t*>(y), n);
}

}  // namespace tandem
