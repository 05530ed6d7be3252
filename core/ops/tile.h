// Copies of a tensor along its axes.
//
//   BroadcastTo(row, {4, 3});        // [3] -> [4, 3]
//   Tile(x, {2, 1});                 // [m, n] -> [2 m, n]
#pragma once
#include "core/export.h"
#include "core/ints.h"
#include "core/origin.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// x under a shape that it broadcasts to, by NumPy's rules. INVALID_ARGUMENT names both shapes when it does not.
Tensor BroadcastTo(const Tensor& x, const Ints& shape, Origin origin = Here());
// x repeated multiples[k] times along axis k; 0 gives an empty tensor.
Tensor Tile(const Tensor& x, const Ints& multiples, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
