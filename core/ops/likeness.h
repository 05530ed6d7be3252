// Tensors of another one's shape and dtype.
//
//   Tensor z = ZerosLike(x);
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

Tensor ZerosLike(Operand x);  // strings: empty
Tensor OnesLike(Operand x);   // bool: true

}  // namespace tandem
TANDEM_EXPORT_END
