// Pools over images: the largest or the mean of each window.
//
//   Tensor y = MaxPool(x, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}});   // x: [n,h,w,c]
//
// ksize and strides follow the axes of data_format, "NHWC" or "NCHW". Padding never wins a maximum and does not count in
// a mean. NaN in a window makes its maximum NaN (TensorFlow's CPU kernel drops it: docs/differences.md). The gradient of
// a maximum goes to its first place in the window, row-major.
#pragma once
#include <array>

#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct PoolOptions {
  std::array<int64_t, 4> ksize = {1, 2, 2, 1};
  std::array<int64_t, 4> strides = {1, 2, 2, 1};
  std::string_view padding = "VALID";             // "SAME", "VALID"; MaxPool also "EXPLICIT"
  std::array<int64_t, 8> explicit_paddings = {};
  std::string_view data_format = "NHWC";
};
Tensor MaxPool(Operand input, const PoolOptions& options = {});
Tensor AvgPool(Operand value, const PoolOptions& options = {});

}  // namespace tandem
TANDEM_EXPORT_END
