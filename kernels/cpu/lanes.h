// How the dtypes without vector kernels of their own reach those that have them: tiles of half and bfloat16 are widened to
// float32, of 8- and 16-bit integers to int32, of uint32 to int64, and the results narrowed again. Integers come out as
// arithmetic modulo 2^bits would give them, halves rounded once for each op.
//
//   const Lanes& lanes = LanesOf(kFloat16);       // lanes.type == VecType::kF32
//   lanes.widen(src, tile, n);  … lanes.narrow(tile, dst, n);
#pragma once
#include <cstdint>

#include "core/dtype.h"
#include "kernels/vector/elementwise.h"

namespace tandem {

struct Lanes {
  bool known = false;            // false: uint64, complex, string, …
  VecType type = VecType::kF32;  // of the kernels
  // Null when the dtype is the vector type itself.
  void (*widen)(const void* from, void* to, int64_t n) = nullptr;
  void (*narrow)(const void* from, void* to, int64_t n) = nullptr;
};

const Lanes& LanesOf(DType dtype);

}  // namespace tandem
