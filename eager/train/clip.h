// Gradients kept within bounds. ClipByValue is in core/ops/arithmetic.h's family.
//
//   auto [clipped, norm] = ClipByGlobalNorm(tape.Gradient(loss, variables), 5.);
//   optimizer.ApplyGradients(clipped, variables);
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// The square root of the sum of all squares, over all tensors; undefined ones are passed over. INVALID_ARGUMENT when none
// is defined.
Tensor GlobalNorm(const Tensors& tensors);

struct ClipByGlobalNormResult {
  Tensors clipped;  // undefined where the tensor was
  Tensor norm;      // before
};
// All scaled by one factor, so that their global norm is at most clip_norm; NaN when that norm is not finite.
ClipByGlobalNormResult ClipByGlobalNorm(const Tensors& tensors, Operand clip_norm);

// t, scaled down where its norm along axes (all, when undefined) exceeds clip_norm.
Tensor ClipByNorm(const Tensor& t, Operand clip_norm, const Tensor& axes = {});

}  // namespace tandem
TANDEM_EXPORT_END
