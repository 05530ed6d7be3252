// Elementwise arithmetic. Shapes broadcast as NumPy's do; dtypes must agree, scalars are weak (core/operand.h).
//
//   Tensor y = Add(x, 1) * w;
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// x: [...], y: [...], broadcast together. Integers wrap.
Tensor Add(Operand x, Operand y);
Tensor Mul(Operand x, Operand y);

Tensor operator+(Operand x, Operand y);
Tensor operator*(Operand x, Operand y);

}  // namespace tandem
TANDEM_EXPORT_END
