// One strided slice, decoded: the one place that knows what the five masks of StridedSlice mean.
//
//   ASSIGN_OR_RETURN(StridedSliceSpec spec, DecodeStridedSlice("StridedSlice", {2, 3, 4}, n, begin, end, strides, masks));
//   spec.output;                 // the shape of the result
//   spec.begin[k], spec.size[k], spec.stride[k];   // of input axis k
//
// Bit i of a mask speaks of entry i of begin, end and strides, not of axis i.
#pragma once
#include <string_view>

#include "core/int_values.h"
#include "core/shape.h"
#include "core/status.h"

namespace tandem {

struct StridedSliceMasks {
  int64_t begin = 0;        // begin[i] is ignored: from the first element in the stride's direction
  int64_t end = 0;          // end[i] is ignored: through the last
  int64_t ellipsis = 0;     // entry i stands for all axes that no other entry uses; at most one
  int64_t new_axis = 0;     // entry i makes an axis of size 1; wins over shrink
  int64_t shrink_axis = 0;  // entry i takes the one element begin[i] and drops the axis
};

struct StridedSliceSpec {
  IntVector begin, stride, size;  // by input axis; size kUnknownDim where it cannot be known
  Shape output;
};

// input has a known rank, dimensions may be unknown. begin, end and strides have `entries` values each, or are null when
// not known. INVALID_ARGUMENT, with the op in front: stride 0, a second ellipsis, more entries than axes, an index out of
// range.
absl::StatusOr<StridedSliceSpec> DecodeStridedSlice(std::string_view op, const Shape& input, int64_t entries,
                                                    const int64_t* begin, const int64_t* end, const int64_t* strides,
                                                    const StridedSliceMasks& masks);

}  // namespace tandem
