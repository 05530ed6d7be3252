// A bias for each channel.
//
//   Tensor y = BiasAdd(MatMul(x, w), b);                 // [batch, channels] + [channels]
//   Tensor z = BiasAdd(image, b, "NCHW");                // channels are axis 1
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// value: [..., channels] ("NHWC") or [batch, channels, ...] ("NCHW"), rank 2 or more; bias: [channels].
// INVALID_ARGUMENT when they do not fit.
Tensor BiasAdd(Operand value, Operand bias, std::string_view data_format = "NHWC");
// The sum over all axes but the channels': the bias's gradient.
Tensor BiasAddGrad(Operand out_backprop, std::string_view data_format = "NHWC");

}  // namespace tandem
TANDEM_EXPORT_END
