// Copies a box of elements between any two layouts: what transposes, slices, broadcasts, tiles, concatenations, pads and
// reversals come down to.
//
//   // y[j, i] = x[i, j] for x: [m, n]
//   CopyStrided(dtype, {n, m}, x, {1, n}, y, {m, 1});
#pragma once
#include <initializer_list>
#include <span>

#include "core/dtype.h"
#include "core/int_values.h"

namespace tandem {

// to[Σ i_k to_strides_k] = from[Σ i_k from_strides_k] for every index i below dims. Strides are in elements, may be 0 or
// negative on the input's side; the output's addresses are all different. Order dims so that the output is walked
// forward. Over the cores when the box is large.
void CopyStrided(DType dtype, std::span<const int64_t> dims, const void* from, std::span<const int64_t> from_strides,
                 void* to, std::span<const int64_t> to_strides);

// Row-major strides of a dense array.
IntVector DenseStrides(std::span<const int64_t> dims);

}  // namespace tandem
