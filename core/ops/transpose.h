// Axes in another order.
//
//   Transpose(image, {0, 3, 1, 2});     // NHWC -> NCHW
//   Transpose(matrix);                  // all axes reversed
#pragma once
#include "core/export.h"
#include "core/ints.h"
#include "core/origin.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// y's axis k is x's axis perm[k]. perm names every axis once, negative ones count from the end; left out, it reverses
// all axes. INVALID_ARGUMENT names the entry and the range.
Tensor Transpose(const Tensor& x, const Ints& perm = Tensor(), Origin origin = Here());

// y[x[i]] = i for a permutation x of 0, 1, …, n - 1. INVALID_ARGUMENT names an entry that is out of range or repeated.
Tensor InvertPermutation(const Tensor& x, Origin origin = Here());

// The elements along each of axes in reverse order.
Tensor Reverse(const Tensor& x, const Ints& axes, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
