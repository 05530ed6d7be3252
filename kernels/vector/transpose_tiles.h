// y[out[i] + j] = x[in[j] + i] for i < na, j < nb: a tile whose rows in[j] are contiguous in i and are written
// contiguous in j. T: an integer of 1, 2, 4 or 8 bytes, or Element16.
#pragma once
#include <cstdint>

namespace tandem::vec {

struct Element16 {
  uint64_t low, high;
};

template <typename T>
void TransposeTile(const T* x, T* y, const int64_t* in, const int64_t* out, int na, int nb);

}  // namespace tandem::vec
