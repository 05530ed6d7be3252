#include "core/ops/depthwise_convolution.h"

#include "core/gradient.h"
#include "core/ops/convolution_infer.h"
#include "core/ops/shape_value.h"

namespace tandem {
namespace {

constexpr const char* kAttrs =
    "T:type{half,bfloat16,float,double}; strides:list(int); padding:string{\"SAME\",\"VALID\",\"EXPLICIT\"}; explicit_paddings:list(int)=[]; "
    "data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\"}; dilations:list(int)=[1,1,1,1]";

// [kh, kw, channels, m] is [kh, kw, 1, channels m] of a convolution with a group for each channel. A filter that spans more
// cells than there are is an error (a convolution may span one more and give nothing), as in TensorFlow.
absl::StatusOr<Shape> Grouped(const InferContext& c, const ImageAxes& axes, const Shape& image, const Shape& filter) {
  const int64_t channels = image[axes.c], own = filter[2];
  if (!Compatible(channels, own))
    return c.Error("channels differ: input is ", image.ToString(), " (dim ", axes.c, " = ", channels, "), filter is ", filter.ToString(),
                   " (dim 2 = ", own, ")");
  const int64_t known = own < 0 ? channels : own;
  Shape grouped = filter;
  grouped[2] = known == 0 ? 0 : 1;
  grouped[3] = kUnknownDim;
  if (known >= 0 && filter[3] >= 0) {
    const auto filters = CheckedMultiply(known, filter[3]);
    if (!filters) return c.Error("filter is ", filter.ToString(), ", more than 2^63 - 1 output channels");
    grouped[3] = *filters;
  }
  for (int i = 0; i < 4; ++i)
    if (filter[i] == 0) return c.Error("filter is ", filter.ToString(), " (dim ", i, " = 0), must not be empty");
  return grouped;
}

absl::Status InferDepthwise(InferContext& c) {
  RETURN_IF_ERROR(InferConvolution(c, Grouped));
  const ImageAxes axes = ConvolutionAttrs(c).axes;
  const Shape& out = c.outputs()[0].shape;
  for (const int axis : {axes.h, axes.w})
    if (out[axis] == 0 && c.dim(0, axis) > 0)
      return c.Error("the filter spans more cells than the padded image has on axis ", axis, ": ", c.Describe(0), ", ", c.Describe(1));
  return absl::OkStatus();
}
absl::Status InferBackpropInput(InferContext& c) { return InferConvolutionBackpropInput(c, Grouped); }
absl::Status InferBackpropFilter(InferContext& c) { return InferConvolutionBackpropFilter(c, Grouped); }

// An op of the family with the attributes of another call of it: each is the derivative of the others.
Tensor Like(const Recorded& op, OpId id, std::initializer_list<Operand> inputs) {
  using List = std::span<const int64_t>;
  return Run(id, inputs,
             {op.attr<List>("strides"), op.attr<std::string_view>("padding"), op.attr<List>("explicit_paddings"),
              op.attr<std::string_view>("data_format"), op.attr<List>("dilations")},
             op.origin());
}

Tensors DepthwiseGradient(const Recorded& op, const Tensor& dy) {
  return {op.needs(0) ? Like(op, Op<"DepthwiseConv2dNativeBackpropInput">(), {ShapeOfInput(op, 0).tensor(), op.input(1), dy}) : Tensor(),
          op.needs(1) ? Like(op, Op<"DepthwiseConv2dNativeBackpropFilter">(), {op.input(0), ShapeOfInput(op, 1).tensor(), dy}) : Tensor()};
}
Tensors BackpropInputGradient(const Recorded& op, const Tensor& dy) {
  return {Tensor(), Like(op, Op<"DepthwiseConv2dNativeBackpropFilter">(), {dy, ShapeOfInput(op, 1).tensor(), op.input(2)}),
          Like(op, Op<"DepthwiseConv2dNative">(), {dy, op.input(1)})};
}
Tensors BackpropFilterGradient(const Recorded& op, const Tensor& dy) {
  return {Like(op, Op<"DepthwiseConv2dNativeBackpropInput">(), {ShapeOfInput(op, 0).tensor(), dy, op.input(2)}), Tensor(),
          Like(op, Op<"DepthwiseConv2dNative">(), {op.input(0), dy})};
}

Tensor Call(OpId op, std::initializer_list<Operand> inputs, const Conv2DOptions& o, Origin origin) {
  using List = std::span<const int64_t>;
  return Run(op, inputs, {List(o.strides), o.padding, o.padding == "EXPLICIT" ? List(o.explicit_paddings) : List(), o.data_format, List(o.dilations)},
             origin);
}

}  // namespace

OpSchema DepthwiseConv2dNativeSchema() {
  return OpSchema("DepthwiseConv2dNative", "The convolution of each channel of images with filters of its own.")
      .Signature("input:T, filter:T", "output:T", kAttrs)
      .Infer(InferDepthwise).Gradient(DepthwiseGradient).GradientReads("input, filter");
}
OpSchema DepthwiseConv2dNativeBackpropInputSchema() {
  return OpSchema("DepthwiseConv2dNativeBackpropInput", "The derivative of a depthwise convolution by its input, which has shape input_sizes.")
      .Signature("input_sizes:int32, filter:T, out_backprop:T", "output:T", kAttrs)
      .Infer(InferBackpropInput).Gradient(BackpropInputGradient).GradientReads("filter, out_backprop").KernelType("T");
}
OpSchema DepthwiseConv2dNativeBackpropFilterSchema() {
  return OpSchema("DepthwiseConv2dNativeBackpropFilter", "The derivative of a depthwise convolution by its filter, which has shape filter_sizes.")
      .Signature("input:T, filter_sizes:int32, out_backprop:T", "output:T", kAttrs)
      .Infer(InferBackpropFilter).Gradient(BackpropFilterGradient).GradientReads("input, out_backprop").KernelType("T");
}

Tensor DepthwiseConv2D(Operand input, Operand filter, const Conv2DOptions& o) {
  return Call(Op<"DepthwiseConv2dNative">(), {input, filter}, o, input.origin());
}
Tensor DepthwiseConv2DBackpropInput(const Ints& input_sizes, Operand filter, Operand dy, const Conv2DOptions& o) {
  return Call(Op<"DepthwiseConv2dNativeBackpropInput">(), {input_sizes.tensor(), filter, dy}, o, filter.origin());
}
Tensor DepthwiseConv2DBackpropFilter(Operand input, const Ints& filter_sizes, Operand dy, const Conv2DOptions& o) {
  return Call(Op<"DepthwiseConv2dNativeBackpropFilter">(), {input, filter_sizes.tensor(), dy}, o, input.origin());
}

}  // namespace tandem
