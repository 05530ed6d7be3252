// Reductions: one number out of many, along axes.
//
//   Tensor total = Sum(x);                                // over all axes: a scalar
//   Tensor rows = Mean(x, -1);                            // [m, n] -> [m]
//   Tensor norm = Sum(x * x, {0, 2}, {.keep_dims = true}); // [a, b, c] -> [1, b, 1]
//
// axes: a scalar or vector of int32 or int64, each in [-rank, rank), none twice; left out (or undefined), all axes; an
// empty vector reduces nothing. INVALID_ARGUMENT names the axis that does not fit.
// Sums run in fixed blocks joined as a binary tree, so they depend on the shape alone: not on threads, vector units or
// fusion. half and bfloat16 accumulate in float32. Integers wrap, but a mean of integers is that of the exact sum in 64
// bits, its fraction dropped. Over no elements: Sum 0, Prod 1, Max -inf or the least integer, Min inf or the greatest,
// Mean NaN (integers 0), All true, Any false.
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct ReduceOptions {
  bool keep_dims = false;  // reduced axes stay, of size 1
};

Tensor Sum(Operand input, const Tensor& axes = {}, ReduceOptions options = {});
Tensor Mean(Operand input, const Tensor& axes = {}, ReduceOptions options = {});
// Its gradient divides by nothing: elements that are 0 are no special case, in any order.
Tensor Prod(Operand input, const Tensor& axes = {}, ReduceOptions options = {});
// NaN wins. Elements that share the extreme share its gradient evenly.
Tensor Max(Operand input, const Tensor& axes = {}, ReduceOptions options = {});
Tensor Min(Operand input, const Tensor& axes = {}, ReduceOptions options = {});
// Of bool tensors.
Tensor All(Operand input, const Tensor& axes = {}, ReduceOptions options = {});
Tensor Any(Operand input, const Tensor& axes = {}, ReduceOptions options = {});
// Half the sum of the squares of all elements: a scalar. Floating dtypes.
Tensor L2Loss(Operand t);

}  // namespace tandem
TANDEM_EXPORT_END
