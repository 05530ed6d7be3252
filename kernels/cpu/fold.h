// Folds: the sum, product, maximum or minimum of many elements of the dtypes that kernels/vector has no reductions for,
// as leaves of the tree of reduction.h.
//
//   const FoldKernel& f = FindFold(Fold::kSum, kFloat16);    // f.acc is kFloat32
//   f.rows(x, 3, 100, 64, 64, acc);                          // acc[j] = sum over 100 rows of x[o][i][j], for three o
//
// Elements widen first: half types to float32, integers of sums and products to 64 bits, where wrapping commutes with
// narrowing. The order of operations depends on the sizes alone.
#pragma once
#include <cstdint>

#include "core/dtype.h"

namespace tandem {

enum class Fold : uint8_t { kSum, kProd, kMax, kMin };

struct FoldKernel {
  DType acc = DType::kInvalid;  // what accumulates; kInvalid: no such fold of this dtype
  // acc[o] = the fold of the n elements from in + o * n on, for o < count.
  void (*dense)(const void* in, int64_t count, int64_t n, void* acc) = nullptr;
  // acc[j] = the fold over i < rows of in[i * stride + j], for j < cols; rows in order. No rows: the fold's identity.
  void (*rows)(const void* in, int64_t rows, int64_t stride, int64_t cols, void* acc) = nullptr;
  // acc[j] = acc[j] with other[j].
  void (*merge)(void* acc, const void* other, int64_t cols) = nullptr;
};

const FoldKernel& FindFold(Fold fold, DType dtype);

// out[i] = acc[i], or acc[i] / count for means (count of 0: NaN, integers 0), narrowed to `dtype`. The two may be one.
void FinishFold(DType acc_dtype, const void* acc, DType dtype, void* out, int64_t n, bool mean, int64_t count);

}  // namespace tandem
