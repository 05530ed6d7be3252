// Tensors joined along an axis, and taken apart again.
//
//   Concat({a, b}, 0);                 // [m, k], [n, k] -> [m + n, k]
//   Stack({a, b});                     // [k], [k] -> [2, k]
//   Tensors rows = Unstack(matrix);
//   Tensors halves = Split(x, 2, -1);
#pragma once
#include "core/export.h"
#include "core/ints.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// All but the axis's dimensions agree. INVALID_ARGUMENT for scalars, names the two values that differ.
Tensor Concat(const Tensors& values, Operand axis, Origin origin = Here());
// Tensors of one shape along a new axis, in [-rank - 1, rank].
Tensor Stack(const Tensors& values, int64_t axis = 0, Origin origin = Here());
// The slices along an axis, which goes. num must be given when the axis's size is not known.
Tensors Unstack(const Tensor& value, int64_t axis = 0, int64_t num = -1, Origin origin = Here());
// num parts of one size; num must divide the axis.
Tensors Split(const Tensor& value, int64_t num, Operand axis = 0, Origin origin = Here());
// num parts of given sizes, which add up to the axis; one may be -1, the rest. num is the length of sizes, and must be
// given where that is not known.
Tensors SplitV(const Tensor& value, const Ints& sizes, Operand axis = 0, int64_t num = -1, Origin origin = Here());

// For each shape, where its part begins in the concatenation of all along concat_dim.
Tensors ConcatOffset(Operand concat_dim, const Tensors& shapes, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
