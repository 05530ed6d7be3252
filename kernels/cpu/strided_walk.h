// Where the elements of a strided slice lie in a dense array, for kernels that read or write slices.
//
//   const StridedWalk walk(x.dims_span(), spec);
//   CopyStrided(x.dtype, spec.size, ElementAt(x.data, x.dtype, walk.offset), walk.strides, …);
#pragma once
#include "core/kernel.h"
#include "core/strided_slice.h"
#include "kernels/cpu/strided_copy.h"

namespace tandem {

// The five masks of a StridedSlice op.
inline StridedSliceMasks MasksOf(const KernelCall& call) {
  return {call.attr<int64_t>("begin_mask"), call.attr<int64_t>("end_mask"), call.attr<int64_t>("ellipsis_mask"),
          call.attr<int64_t>("new_axis_mask"), call.attr<int64_t>("shrink_axis_mask")};
}

// The elements that the spec takes out of a dense array of these dims: where the first lies, and the strides.
struct StridedWalk {
  int64_t offset = 0;
  IntVector strides;
  StridedWalk(std::span<const int64_t> dims, const StridedSliceSpec& spec) : strides(DenseStrides(dims)) {
    for (size_t k = 0; k < strides.size(); ++k) {
      offset += spec.begin[k] * strides[k];
      // The step after the last element is never taken; a stride of any size must not overflow.
      strides[k] = spec.size[k] > 1 ? strides[k] * spec.stride[k] : 0;
    }
  }
};

}  // namespace tandem
