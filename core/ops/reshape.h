// The shape of a tensor, and the same elements under another one. Results share the input's buffer.
//
//   Reshape(x, {-1, 784});         // [n, 28, 28] -> [n, 784]
//   ExpandDims(x, 0);              // [a, b] -> [1, a, b]
//   Squeeze(x);                    // [1, a, 1] -> [a]
#pragma once
#include "core/export.h"
#include "core/ints.h"
#include "core/origin.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// The dimensions as a vector; INVALID_ARGUMENT when one does not fit out_type (int32 or int64).
Tensor ShapeOf(const Tensor& x, DType out_type = kInt32, Origin origin = Here());
// The number of elements, a scalar.
Tensor Size(const Tensor& x, DType out_type = kInt32, Origin origin = Here());
// The number of dimensions, an int32 scalar.
Tensor Rank(const Tensor& x, Origin origin = Here());

// The elements in row-major order under another shape with as many; one dimension may be -1, which the others decide.
// INVALID_ARGUMENT names both shapes when the numbers of elements differ.
Tensor Reshape(const Tensor& x, const Ints& shape, Origin origin = Here());
// A new dimension of size 1 at axis, in [-rank - 1, rank].
Tensor ExpandDims(const Tensor& x, int64_t axis, Origin origin = Here());
// Without dimensions of size 1: those of axes, or all. INVALID_ARGUMENT when one of axes is not of size 1.
Tensor Squeeze(const Tensor& x, const std::vector<int64_t>& axes = {}, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
