// What a person would write by hand, with the machine's widest vectors: the reference of fused loops.
#pragma once
#include <cstdint>

namespace tandem::bench {

// min(max(x*1.5+0.25-0.5, -1) * (x*1.5+0.25) * 0.75 + 2, 100)
void HandChain(const float* x, float* y, int64_t n);
// 0.5 x (1 + tanh(0.7978845608 (x + 0.044715 x^3))), tanh being the vector layer's.
void HandGelu(const float* x, float* y, int64_t n);

}  // namespace tandem::bench
