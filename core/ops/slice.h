// Parts of a tensor. NumPy's indexing, t.Index(...), is built on these (core/index.h).
//
//   Slice(x, {0, 1}, {2, -1});                                   // x[0:2, 1:]
//   StridedSlice(x, {3}, {0}, {-1});                             // x[3:0:-1]
//   StridedSlice(x, {-1}, {0}, {1}, {.shrink_axis_mask = 1});    // x[-1]
#pragma once
#include "core/export.h"
#include "core/ints.h"
#include "core/origin.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// size[k] elements of axis k from begin[k] on; -1: all that follow. INVALID_ARGUMENT names the axis where the box leaves
// x. A part that lies in one piece (some rows) shares x's buffer.
Tensor Slice(const Tensor& x, const Ints& begin, const Ints& size, Origin origin = Here());

// Bit i of a mask is about entry i: see core/strided_slice.h for their meaning, which is TensorFlow's.
struct StridedSliceOptions {
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};
// begin, begin + stride, … before end, as in Python: negative begin and end count from the end, all are clamped.
// INVALID_ARGUMENT: stride 0, two ellipses, more entries than axes, a dropped axis's index out of range.
Tensor StridedSlice(const Tensor& x, const Ints& begin, const Ints& end, const Ints& strides, StridedSliceOptions options = {},
                    Origin origin = Here());
// dy where such a slice of a tensor of this shape was taken, zeros elsewhere.
Tensor StridedSliceGrad(const Ints& shape, const Ints& begin, const Ints& end, const Ints& strides, const Tensor& dy,
                        StridedSliceOptions options = {}, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
