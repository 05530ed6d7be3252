#include "eager/nn/convolutional.h"

#include "core/ops/arithmetic.h"
#include "core/ops/bias_add.h"
#include "core/ops/depthwise_convolution.h"
#include "core/ops/plumbing.h"
#include "core/ops/reshape.h"
#include "core/status.h"
#include "eager/nn/initializers.h"

namespace tandem::nn {

ConvBase::ConvBase(const char* class_name, int rank, int64_t filters, Size2D kernel_size, ConvOptions options)
    : Layer({.name = options.name, .input_shape = options.input_shape, .dtype = options.dtype}),
      options_(std::move(options)),
      filters_(filters),
      size_(kernel_size) {
  const auto check = [&](const char* what, int64_t value) {
    if (value < 1) ThrowError(InvalidArgument(class_name, ": ", what, " is ", value, ", must be at least 1"));
  };
  check("filters", filters);
  check("kernel_size", std::min(kernel_size.height, kernel_size.width));
  check("strides", std::min(options_.strides.height, options_.strides.width));
  check("dilations", std::min(options_.dilations.height, options_.dilations.width));
  check("groups", options_.groups);
  check("depth_multiplier", options_.depth_multiplier);
  if (filters % options_.groups) ThrowError(InvalidArgument(class_name, ": groups is ", options_.groups, ", must divide the ", filters, " filters"));
  // op_ views literals: the layer may move.
  if (options_.padding == "SAME") op_.padding = "SAME";
  else if (options_.padding == "CAUSAL" && rank == 1) op_.padding = "EXPLICIT";
  else if (options_.padding != "VALID")
    ThrowError(InvalidArgument(class_name, ": padding is \"", options_.padding, "\", must be \"VALID\"",
                               rank == 1 ? ", \"SAME\" or \"CAUSAL\"" : " or \"SAME\""));
  const Size2D &s = options_.strides, &d = options_.dilations;
  if (rank == 1) {  // as an image of one row
    op_.strides = {1, 1, s.height, 1};
    op_.dilations = {1, 1, d.height, 1};
    if (op_.padding == "EXPLICIT") op_.explicit_paddings[4] = (kernel_size.height - 1) * d.height;
  } else {
    op_.strides = {1, s.height, s.width, 1};
    op_.dilations = {1, d.height, d.width, 1};
  }
  ExpectInput({.rank = rank + 2});
}

int64_t ConvBase::Channels(const Shape& input) {
  const int64_t channels = KnownDim(input, -1);
  if (channels % options_.groups) Fail(absl::StrCat("groups is ", options_.groups, ", must divide the ", channels, " channels of the input"));
  ExpectInput({.rank = input.rank(), .axis = -1, .size = channels});
  return channels;
}

Variable ConvBase::AddKernel(std::string_view name, const Shape& shape) {
  return AddVariable(name, shape, {.initializer = options_.kernel_initializer, .regularizer = options_.kernel_regularizer});
}
void ConvBase::AddBias(int64_t filters) {
  if (options_.use_bias)
    bias_ = AddVariable("bias", {filters},
                        {.initializer = options_.bias_initializer ? options_.bias_initializer : initializers::Zeros(),
                         .regularizer = options_.bias_regularizer});
}
Tensor ConvBase::Finish(const Tensor& y) const {
  const Tensor z = options_.use_bias ? BiasAdd(y, bias_) : y;
  return options_.activation ? options_.activation(z) : z;
}

Conv1D::Conv1D(int64_t filters, int64_t kernel_size, ConvOptions options) : ConvBase("Conv1D", 1, filters, kernel_size, std::move(options)) {}
void Conv1D::Build(const Shape& input) {
  kernel_ = AddKernel("kernel", {size_.height, Channels(input) / options_.groups, filters_});
  AddBias(filters_);
}
Tensor Conv1D::Call(const Tensor& input) {
  const Tensor y = tandem::Conv2D(ExpandDims(input, 1), ExpandDims(kernel_, 0), op_);
  return Finish(Squeeze(y, {1}));
}

Conv2D::Conv2D(int64_t filters, Size2D kernel_size, ConvOptions options) : ConvBase("Conv2D", 2, filters, kernel_size, std::move(options)) {}
void Conv2D::Build(const Shape& input) {
  kernel_ = AddKernel("kernel", {size_.height, size_.width, Channels(input) / options_.groups, filters_});
  AddBias(filters_);
}
Tensor Conv2D::Call(const Tensor& input) { return Finish(tandem::Conv2D(input, kernel_, op_)); }

DepthwiseConv2D::DepthwiseConv2D(Size2D kernel_size, ConvOptions options) : ConvBase("DepthwiseConv2D", 2, 1, kernel_size, std::move(options)) {}
void DepthwiseConv2D::Build(const Shape& input) {
  const int64_t channels = Channels(input);
  kernel_ = AddKernel("kernel", {size_.height, size_.width, channels, options_.depth_multiplier});
  AddBias(channels * options_.depth_multiplier);
}
Tensor DepthwiseConv2D::Call(const Tensor& input) { return Finish(tandem::DepthwiseConv2D(input, kernel_, op_)); }

SeparableConv2D::SeparableConv2D(int64_t filters, Size2D kernel_size, ConvOptions options)
    : ConvBase("SeparableConv2D", 2, filters, kernel_size, std::move(options)) {}
void SeparableConv2D::Build(const Shape& input) {
  const int64_t channels = Channels(input);
  kernel_ = AddKernel("depthwise_kernel", {size_.height, size_.width, channels, options_.depth_multiplier});
  pointwise_ = AddKernel("pointwise_kernel", {1, 1, channels * options_.depth_multiplier, filters_});
  AddBias(filters_);
}
Tensor SeparableConv2D::Call(const Tensor& input) {
  return Finish(tandem::Conv2D(tandem::DepthwiseConv2D(input, kernel_, op_), pointwise_));
}

Conv2DTranspose::Conv2DTranspose(int64_t filters, Size2D kernel_size, ConvOptions options)
    : ConvBase("Conv2DTranspose", 2, filters, kernel_size, std::move(options)) {
  if (options_.groups != 1) Fail(absl::StrCat("groups is ", options_.groups, ", must be 1"));
}
void Conv2DTranspose::Build(const Shape& input) {
  kernel_ = AddKernel("kernel", {size_.height, size_.width, filters_, Channels(input)});
  AddBias(filters_);
}
Tensor Conv2DTranspose::Call(const Tensor& input) {
  // The smallest image that a convolution takes to one of the input's size: n strides, and for VALID what the window
  // exceeds a stride by.
  const auto grown = [&](int64_t n, int64_t stride, int64_t window, int64_t dilation) {
    if (n < 0) return kUnknownDim;
    const int64_t span = (window - 1) * dilation + 1;
    return n * stride + (options_.padding == "SAME" ? 0 : std::max<int64_t>(span - stride, 0));
  };
  const Size2D &s = options_.strides, &d = options_.dilations;
  const Shape out = {input.dim(0), grown(input.dim(1), s.height, size_.height, d.height), grown(input.dim(2), s.width, size_.width, d.width), filters_};
  if (out.fully_known()) return Finish(Conv2DBackpropInput(out, kernel_, input, op_));
  const Tensor scale = std::vector<int32_t>{1, static_cast<int32_t>(s.height), static_cast<int32_t>(s.width), 0};
  const Tensor extra = std::vector<int32_t>{0, static_cast<int32_t>(grown(0, s.height, size_.height, d.height)),
                                            static_cast<int32_t>(grown(0, s.width, size_.width, d.width)), static_cast<int32_t>(filters_)};
  return Finish(EnsureShape(Conv2DBackpropInput(ShapeOf(input) * scale + extra, kernel_, input, op_), out));
}

}  // namespace tandem::nn
