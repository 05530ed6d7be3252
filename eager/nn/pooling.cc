#include "eager/nn/pooling.h"

#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/status.h"

namespace tandem::nn {
namespace {

// A sequence as an image of one row, pooled.
template <class F>
Tensor AsRow(const Tensor& input, F&& pool) {
  return Squeeze(pool(ExpandDims(input, 1)), {1});
}

}  // namespace

PoolingBase::PoolingBase(const char* class_name, int rank, Size2D size, PoolingOptions options) : Layer({.name = std::move(options.name)}) {
  const Size2D strides = options.strides.value_or(size);
  const auto check = [&](const char* what, int64_t value) {
    if (value < 1) ThrowError(InvalidArgument(class_name, ": ", what, " is ", value, ", must be at least 1"));
  };
  check("pool_size", std::min(size.height, size.width));
  check("strides", std::min(strides.height, strides.width));
  if (options.padding == "SAME") op_.padding = "SAME";
  else if (options.padding != "VALID") ThrowError(InvalidArgument(class_name, ": padding is \"", options.padding, "\", must be \"VALID\" or \"SAME\""));
  if (rank == 1) {
    op_.ksize = {1, 1, size.height, 1};
    op_.strides = {1, 1, strides.height, 1};
  } else {
    op_.ksize = {1, size.height, size.width, 1};
    op_.strides = {1, strides.height, strides.width, 1};
  }
  ExpectInput({.rank = rank + 2});
}

Tensor MaxPooling1D::Call(const Tensor& input) {
  return AsRow(input, [&](const Tensor& row) { return MaxPool(row, op_); });
}
Tensor MaxPooling2D::Call(const Tensor& input) { return MaxPool(input, op_); }
Tensor AveragePooling1D::Call(const Tensor& input) {
  return AsRow(input, [&](const Tensor& row) { return AvgPool(row, op_); });
}
Tensor AveragePooling2D::Call(const Tensor& input) { return AvgPool(input, op_); }

GlobalPoolingBase::GlobalPoolingBase(int rank, GlobalPoolingOptions options)
    : Layer({.name = std::move(options.name)}), axes_(rank == 1 ? std::vector<int32_t>{1} : std::vector<int32_t>{1, 2}), keep_dims_(options.keep_dims) {
  ExpectInput({.rank = rank + 2});
}

Tensor GlobalMaxPooling1D::Call(const Tensor& input) { return Max(input, axes_, {.keep_dims = keep_dims_}); }
Tensor GlobalMaxPooling2D::Call(const Tensor& input) { return Max(input, axes_, {.keep_dims = keep_dims_}); }
Tensor GlobalAveragePooling2D::Call(const Tensor& input) { return Mean(input, axes_, {.keep_dims = keep_dims_}); }
Tensor GlobalAveragePooling1D::Call(const Tensor& input) {
  if (!mask().defined()) return Mean(input, axes_, {.keep_dims = keep_dims_});
  const Tensor weights = ExpandDims(Cast(mask(), input.dtype()), -1);
  return Sum(input * weights, axes_, {.keep_dims = keep_dims_}) / Sum(weights, axes_, {.keep_dims = keep_dims_});
}

}  // namespace tandem::nn
