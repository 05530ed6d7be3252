// Comparisons, logic and choice, element by element, with broadcasting.
//
//   Tensor clipped = Select(x > 0, x, 0);
//   if (num % 3 == 0) …                      // a scalar bool tensor is a condition; !, && and || are C++'s
//
// The comparisons give bool tensors. INVALID_ARGUMENT when shapes do not broadcast or dtypes differ.
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

Tensor Equal(Operand x, Operand y);      // NaN equals nothing
Tensor NotEqual(Operand x, Operand y);
Tensor Less(Operand x, Operand y);
Tensor LessEqual(Operand x, Operand y);
Tensor Greater(Operand x, Operand y);
Tensor GreaterEqual(Operand x, Operand y);

Tensor LogicalAnd(Operand x, Operand y);  // bool tensors
Tensor LogicalOr(Operand x, Operand y);
Tensor LogicalNot(Operand x);

// t where condition (bool) holds, else e; all three broadcast together. Op SelectV2.
Tensor Select(Operand condition, Operand t, Operand e);

Tensor operator==(Operand x, Operand y);
Tensor operator!=(Operand x, Operand y);
Tensor operator<(Operand x, Operand y);
Tensor operator<=(Operand x, Operand y);
Tensor operator>(Operand x, Operand y);
Tensor operator>=(Operand x, Operand y);

}  // namespace tandem
TANDEM_EXPORT_END
