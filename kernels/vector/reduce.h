// Reductions with one fixed tree, so that bits depend on neither threads nor vector width.
//
//   Reduce(ReduceOp::kSum, VecType::kF32, x, y, outer, n, inner, 0, inner);    // y[o, i] = sum over k of x[o, k, i]
//
// The tree, per result. inner = 1: the n elements in blocks of kReduceBlock; in a block, element k goes to accumulator
// k mod 64, and the accumulators are halved (j with j + 32, j + 16, ...); blocks follow in order. inner > 1: rows in
// order, in blocks of 256. Block results of float sums meet in double, so that 2^25 ones sum exactly. Split `outer`
// or the columns as you like; a single long row is split by blocks.
#pragma once
#include <cstdint>

#include "kernels/vector/elementwise.h"

namespace tandem {

enum class ReduceOp : uint8_t { kSum, kProd, kMax, kMin, kSumSquares, kMean, kAll, kAny };

inline constexpr int64_t kReduceBlock = 4096;

// x: [outer, n, inner] dense; y: [outer, inner], of which columns [begin, end) are written. Max and Min propagate NaN.
// Integers wrap; their Mean truncates, int32 through 64-bit sums. kAll and kAny: VecType::kBool only, which has no other.
// Empty: Sum 0, Prod 1, Max and Min the bound of the type (-inf, inf), Mean NaN (integers 0), All true, Any false.
void Reduce(ReduceOp op, VecType type, const void* x, void* y, int64_t outer, int64_t n, int64_t inner, int64_t begin, int64_t end);

// For one row of n elements on several threads: partial[b] for blocks b of [first, last), elements of `type`; then
// y from all (n + kReduceBlock - 1) / kReduceBlock of them. Same bits as Reduce. Not for kMean of int32.
void ReduceBlocks(ReduceOp op, VecType type, const void* x, int64_t n, int64_t first, int64_t last, void* partial);
void CombineBlocks(ReduceOp op, VecType type, const void* partial, int64_t n, void* y);

}  // namespace tandem
