// Conversion of element types.
//
//   Tensor f = Cast(ints, kFloat32);
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// x: any shape -> the same shape in dtype; x itself when it has that dtype. Floats truncate towards zero, and give the
// least integer when out of range or NaN; integers wrap; bool is "not 0"; complex numbers lose their imaginary part.
Tensor Cast(Operand x, DType dtype, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
