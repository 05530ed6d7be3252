// Where the extremes are.
//
//   Tensor label = ArgMax(logits, -1);                 // [batch, classes] -> int64[batch]
//   auto [values, indices] = TopK(logits, 5);          // [batch, classes] -> [batch, 5] twice
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// The index along axis of the first greatest (least) element; NaN only where all are NaN. INVALID_ARGUMENT when axis is
// out of range or has no elements. output_type: int64, int32, for ArgMax also int16 and uint16.
Tensor ArgMax(Operand input, const Tensor& axis = 0, DType output_type = kInt64);
Tensor ArgMin(Operand input, const Tensor& axis = 0, DType output_type = kInt64);

struct TopKOptions {
  bool sorted = true;         // false: in any order
  DType index_type = kInt32;  // or int16, int64
};
struct TopKResult {
  Tensor values, indices;
};
// The k greatest along the last axis, falling; equals by rising index, NaN last. INVALID_ARGUMENT unless 0 <= k <= its size.
TopKResult TopK(Operand input, const Tensor& k = 1, TopKOptions options = {});

}  // namespace tandem
TANDEM_EXPORT_END
