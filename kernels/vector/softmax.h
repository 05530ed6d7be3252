// Softmax and log-softmax of rows, with the exponential of elementwise.h and the sums of reduce.h.
#pragma once
#include <cstdint>

#include "kernels/vector/elementwise.h"

namespace tandem {

// x, y: [rows, n] dense; y may be x. type: kF32 or kF64. With m the row's maximum,
//   Softmax:    y = exp(x - m) / sum(exp(x - m))
//   LogSoftmax: y = (x - m) - log(sum(exp(x - m)))
// A row that holds NaN or +inf, or nothing but -inf, gives NaN (+inf among finite numbers: NaN where it stands).
void Softmax(VecType type, const void* x, void* y, int64_t rows, int64_t n);
void LogSoftmax(VecType type, const void* x, void* y, int64_t rows, int64_t n);

}  // namespace tandem
