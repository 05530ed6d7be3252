// Distinct elements.
//
//   auto [values, indices] = Unique({3, 1, 3});     // [3 1], [0 1 0]
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct UniqueResult {
  Tensor values;   // [k], in the order in which they first appear
  Tensor indices;  // [n]: x[i] is values[indices[i]]
};
// x: [n], numbers, bools or strings. 0 equals -0, NaN nothing. index_type: int32 or int64. INVALID_ARGUMENT unless x is a
// vector.
UniqueResult Unique(Operand x, DType index_type = kInt32, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
