// Convolutions over sequences and images, channels last.
//
//   nn::Conv2D(32, 5, {.padding = "SAME", .activation = Relu})(images);        // [n,h,w,c] -> [n,h,w,32]
//   nn::Conv2D(32, {3, 5}, {.strides = {2, 1}});                               // rows, columns
//   nn::Conv1D(16, 3, {.padding = "CAUSAL"})(x);                               // [n,time,c]: no step sees a later one
//   nn::Conv2DTranspose(16, 3, {.strides = 2, .padding = "SAME"})(x);          // twice the size
//
// padding: "VALID", "SAME"; "CAUSAL" for Conv1D. Variables: kernel [rows, columns, c / groups, filters] and bias [filters],
// where the layers do not say otherwise. INVALID_ARGUMENT, when the layer is made: filters, sizes, strides, dilations or
// groups below 1, another padding, groups that do not divide filters.
#pragma once
#include <array>

#include "core/export.h"
#include "core/ops/convolution.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

// Rows and columns; one number means both.
struct Size2D {
  Size2D(int64_t both) : height(both), width(both) {}
  Size2D(int64_t height, int64_t width) : height(height), width(width) {}
  int64_t height, width;
};

struct ConvOptions {
  Size2D strides = 1;  // Conv1D: the second is not read
  std::string padding = "VALID";
  Size2D dilations = 1;
  int64_t groups = 1;  // of channels, each with filters of its own
  ActivationFunction activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = {};  // GlorotUniform
  Initializer bias_initializer = {};    // Zeros
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  int64_t depth_multiplier = 1;  // DepthwiseConv2D, SeparableConv2D: filters for each channel
  Shape input_shape = Shape::Unknown();
  std::string name = {};
  DType dtype = kFloat32;
};

// What the layers below have in common.
class ConvBase : public Layer {
 protected:
  // rank: 1 over sequences, 2 over images.
  ConvBase(const char* class_name, int rank, int64_t filters, Size2D kernel_size, ConvOptions options);
  Variable AddKernel(std::string_view name, const Shape& shape);
  void AddBias(int64_t filters);
  Tensor Finish(const Tensor& y) const;  // bias and activation
  int64_t Channels(const Shape& input);  // of the input, expected from now on

  ConvOptions options_;
  int64_t filters_;
  Size2D size_;
  tandem::Conv2DOptions op_;  // options_ as the ops take them
  Variable kernel_, bias_;
};

class Conv1D : public ConvBase {
 public:
  Conv1D(int64_t filters, int64_t kernel_size, ConvOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
};

class Conv2D : public ConvBase {
 public:
  Conv2D(int64_t filters, Size2D kernel_size, ConvOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
};

// Each channel by depth_multiplier filters of its own. kernel: [rows, columns, c, depth_multiplier].
class DepthwiseConv2D : public ConvBase {
 public:
  explicit DepthwiseConv2D(Size2D kernel_size, ConvOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
};

// A depthwise convolution, then one of single pixels. Variables: depthwise_kernel, pointwise_kernel, bias.
class SeparableConv2D : public ConvBase {
 public:
  SeparableConv2D(int64_t filters, Size2D kernel_size, ConvOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;

 private:
  Variable pointwise_;
};

// The derivative of a convolution by its input, as a layer: strides enlarge. kernel: [rows, columns, filters, c].
class Conv2DTranspose : public ConvBase {
 public:
  Conv2DTranspose(int64_t filters, Size2D kernel_size, ConvOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
