// Two-dimensional convolution (cross-correlation, as neural networks say it) and its gradients.
//
//   Tensor y = Conv2D(x, w, {.strides = {1, 2, 2, 1}, .padding = "SAME"});   // x: [n,h,w,c], w: [kh,kw,c/groups,filters]
//
// With more channels in x than w has, each group of channels has its own filters (groups = depthwise in the limit).
// Strides, dilations (4 numbers) and explicit_paddings (before and after, 8 numbers, with padding "EXPLICIT") follow the
// axes of data_format, "NHWC" or "NCHW". An empty batch or image gives what padding leaves: nothing, or zeros.
// INVALID_ARGUMENT names the argument, its shape or entry.
#pragma once
#include <array>

#include "core/export.h"
#include "core/ints.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct Conv2DOptions {
  std::array<int64_t, 4> strides = {1, 1, 1, 1};
  std::string_view padding = "VALID";  // "SAME", "VALID", "EXPLICIT"
  std::array<int64_t, 8> explicit_paddings = {};
  std::string_view data_format = "NHWC";
  std::array<int64_t, 4> dilations = {1, 1, 1, 1};
};
Tensor Conv2D(Operand input, Operand filter, const Conv2DOptions& options = {});
// The derivative by the input: input_sizes is the shape of the convolution's input (int32).
Tensor Conv2DBackpropInput(const Ints& input_sizes, Operand filter, Operand out_backprop, const Conv2DOptions& options = {});
// The derivative by the filter: filter_sizes is the filter's shape (int32).
Tensor Conv2DBackpropFilter(Operand input, const Ints& filter_sizes, Operand out_backprop, const Conv2DOptions& options = {});

}  // namespace tandem
TANDEM_EXPORT_END
