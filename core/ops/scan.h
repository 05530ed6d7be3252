// Running sums and products along an axis.
//
//   CumSum(x, 1);                              // [a, a + b, a + b + c]
//   CumSum(x, 1, {.exclusive = true});         // [0, a, a + b]
//   CumProd(x, -1, {.reverse = true});         // [a b c, b c, c]
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct ScanOptions {
  bool exclusive = false;  // without the element itself
  bool reverse = false;    // from the end
};

// Elements are taken in order; integers wrap, half types accumulate in float32. INVALID_ARGUMENT when axis, a scalar of
// int32 or int64, is out of [-rank, rank).
Tensor CumSum(Operand x, const Tensor& axis = 0, ScanOptions options = {});
// Its gradient divides by nothing: zeros are no special case. It needs the size of the axis to be known.
Tensor CumProd(Operand x, const Tensor& axis = 0, ScanOptions options = {});

}  // namespace tandem
TANDEM_EXPORT_END
