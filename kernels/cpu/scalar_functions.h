// Elementwise functions of uint64, complex64 and complex128, which have no vector kernels: one element at a time.
//
//   ElementwiseFn f = FindScalarKernel(VecOp::kTanh, kComplex64);
#pragma once
#include "core/dtype.h"
#include "kernels/vector/elementwise.h"

namespace tandem {

// Null where the dtype has no such function. Integer division gives 0 where the divisor is 0.
ElementwiseFn FindScalarKernel(VecOp op, DType dtype);

}  // namespace tandem
