// Reductions over any axes, as passes over [outer, n, inner] in one fixed tree.
//
//   RETURN_IF_ERROR(ReduceAxes(Fold::kSum, /*mean=*/false, x, reduced, y));
//
// float32, float64, int32, int64 and bool reduce in the tree of kernels/vector/reduce.h. The others widen as they are read
// (fold.h), in a tree of their own: leaves are blocks of 4096 adjacent
// elements, or of 64 rows where the reduced axis is not the last; they join pairwise, splitting at the largest power of
// two below their number. Neither threads nor tiles change either tree.
#pragma once
#include "core/kernel.h"
#include "core/ops/reduction_axes.h"
#include "kernels/cpu/fold.h"
#include "kernels/cpu/scratch.h"
#include "kernels/vector/reduce.h"

namespace tandem {

// A block of working memory for `elements` of a dtype.
using Block = Scratch<char>;
absl::Status ReserveBlock(Block& block, DType dtype, int64_t elements);

// acc[o, j] = the fold over i of in[o, i, j]; acc: f.acc's elements, in: [outer, n, inner] of in_dtype.
absl::Status FoldMiddle(const FoldKernel& f, DType in_dtype, const void* in, int64_t outer, int64_t n, int64_t inner, void* acc);

// The same by the kernels and in the tree of kernels/vector/reduce.h.
absl::Status ReduceMiddle(ReduceOp op, VecType type, const void* in, int64_t outer, int64_t n, int64_t inner, void* out);

// Folds the reduced axes of x into y, which has the elements of the kept ones. x's dtype must have the fold.
absl::Status ReduceAxes(Fold fold, bool mean, const TensorRep& x, const AxisMask& reduced, TensorRep& y);

}  // namespace tandem
