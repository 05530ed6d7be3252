// Reductions over any axes, as passes over [outer, n, inner] in one fixed tree.
//
//   RETURN_IF_ERROR(ReduceAxes(Fold::kSum, /*mean=*/false, x, reduced, y));
//
// The tree of n elements: leaves are blocks of 4096 adjacent elements, or of 64 rows where the reduced axis is not the
// last; leaves join pairwise, splitting at the largest power of two below their number. Neither threads nor tiles
// change it.
#pragma once
#include "core/kernel.h"
#include "core/ops/reduction_axes.h"
#include "kernels/cpu/fold.h"

namespace tandem {

// acc[o, j] = the fold over i of in[o, i, j]; acc: f.acc's elements, in: [outer, n, inner] of in_dtype.
absl::Status FoldMiddle(const FoldKernel& f, DType in_dtype, const void* in, int64_t outer, int64_t n, int64_t inner, void* acc);

// Folds the reduced axes of x into y, which has the elements of the kept ones. x's dtype must have the fold.
absl::Status ReduceAxes(Fold fold, bool mean, const TensorRep& x, const AxisMask& reduced, TensorRep& y);

}  // namespace tandem
