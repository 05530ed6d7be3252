// Elementwise functions of one number. Floating dtypes, and complex ones where the function has them; half and bfloat16
// compute in float32. A Variable is read; a C++ scalar becomes a tensor.
//
//   Tensor p = Sigmoid(x), q = Exp(-Square(x));
#pragma once
#include "core/export.h"
#include "core/ops/arithmetic.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

Tensor Sqrt(Operand x);
Tensor Rsqrt(Operand x);   // 1 / sqrt(x)
Tensor Exp(Operand x);
Tensor Expm1(Operand x);   // exp(x) - 1, exact near 0
Tensor Log(Operand x);
Tensor Log1p(Operand x);   // log(1 + x), exact near 0
// x^y, broadcast together. Integers wrap; a negative integer exponent is INVALID_ARGUMENT naming the element.
Tensor Pow(Operand x, Operand y);

Tensor Sin(Operand x);
Tensor Cos(Operand x);
Tensor Tanh(Operand x);
Tensor Sigmoid(Operand x);  // 1 / (1 + exp(-x))
Tensor Erf(Operand x);
Tensor Erfc(Operand x);     // 1 - erf(x), exact far out

Tensor Floor(Operand x);
Tensor Ceil(Operand x);
Tensor Round(Operand x);    // half to even; integers stay
Tensor IsNan(Operand x);    // -> bool
Tensor IsInf(Operand x);
Tensor IsFinite(Operand x);

// The complex conjugate; real tensors are returned as they are.
Tensor Conj(Operand x);

}  // namespace tandem
TANDEM_EXPORT_END
