// Batch normalization: y = (x - mean) * scale / sqrt(variance + epsilon) + offset, channel by channel.
//
//   FusedBatchNormResult r = FusedBatchNorm(x, scale, offset);          // training: mean and variance of x itself
//   FusedBatchNorm(x, scale, offset, mean, variance, {.is_training = false});
//
// x: [n,h,w,c], or [n,c,h,w], [n,d,h,w,c], [n,c,d,h,w] as data_format says; the others: [c]. In training batch_variance is
// divided by count - 1, y uses the one divided by count. With exponential_avg_factor f other than 1 the results are
// (1-f)*mean + f*batch mean, likewise the variance. Without elements mean and variance are NaN.
// Differentiable by x, scale and offset through y; in inference not by mean and variance, as in TensorFlow.
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct FusedBatchNormOptions {
  float epsilon = 1e-4f;
  float exponential_avg_factor = 1.0f;
  std::string_view data_format = "NHWC";  // "NCHW", "NDHWC", "NCDHW"
  bool is_training = true;
};
struct FusedBatchNormResult {
  Tensor y, batch_mean, batch_variance;
};
// mean and variance may be left undefined in training with exponential_avg_factor 1.
FusedBatchNormResult FusedBatchNorm(const Tensor& x, const Tensor& scale, const Tensor& offset, const Tensor& mean = {},
                                    const Tensor& variance = {}, const FusedBatchNormOptions& options = {}, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
