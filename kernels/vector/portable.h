// Half and bfloat16 in memory, widened to and narrowed from float, so that kernels compute in float a tile at a time.
#pragma once
#include <cstdint>

namespace tandem {

// n elements; y may not overlap x. Narrowing rounds to nearest even; a NaN stays a NaN; overflow gives infinity.
void HalfToFloat(const uint16_t* x, float* y, int64_t n);
void FloatToHalf(const float* x, uint16_t* y, int64_t n);
void BfloatToFloat(const uint16_t* x, float* y, int64_t n);
void FloatToBfloat(const float* x, uint16_t* y, int64_t n);

}  // namespace tandem
