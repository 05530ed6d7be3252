// Gradients kept small: the function that the guide writes as an example of a custom gradient.
//
//   Tensor y = Layer(ClipGradientByNorm(x, 1.));     // what flows back into x has at most this length
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// x itself; its gradient is dy norm / max(|dy|, norm), |dy| over all elements. norm: a positive number, a constant to
// differentiation. INVALID_ARGUMENT when it is not positive. Works in both modes.
Tensor ClipGradientByNorm(const Tensor& x, double norm, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
