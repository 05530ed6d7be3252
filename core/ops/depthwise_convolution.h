// Convolutions channel by channel: each channel of the image has filters of its own.
//
//   Tensor y = DepthwiseConv2D(x, w, {.padding = "SAME"});     // x: [n,h,w,c], w: [kh,kw,c,m] -> [n,oh,ow,c m]
//
// Output channel k * m + q is channel k under its filter q. Options as Conv2D's (core/ops/convolution.h).
// INVALID_ARGUMENT when channels differ or a filter does not fit the padded image.
#pragma once
#include "core/export.h"
#include "core/ops/convolution.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

Tensor DepthwiseConv2D(Operand input, Operand filter, const Conv2DOptions& options = {});
// The derivatives by the input, whose shape is input_sizes, and by the filter, whose shape is filter_sizes (int32).
Tensor DepthwiseConv2DBackpropInput(const Ints& input_sizes, Operand filter, Operand out_backprop, const Conv2DOptions& options = {});
Tensor DepthwiseConv2DBackpropFilter(Operand input, const Ints& filter_sizes, Operand out_backprop, const Conv2DOptions& options = {});

}  // namespace tandem
TANDEM_EXPORT_END
