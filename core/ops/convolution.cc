#include "core/ops/convolution.h"

#include "core/gradient.h"
#include "core/ops/convolution_infer.h"
#include "core/ops/shape_value.h"

namespace tandem {
namespace {

constexpr const char* kAttrs =
    "strides:list(int); use_cudnn_on_gpu:bool=true; padding:string{\"SAME\",\"VALID\",\"EXPLICIT\"}; explicit_paddings:list(int)=[]; "
    "data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\"}; dilations:list(int)=[1,1,1,1]";

absl::Status InferConv2D(InferContext& c) { return InferConvolution(c, FilterAsIs); }
absl::Status InferBackpropInput(InferContext& c) { return InferConvolutionBackpropInput(c, FilterAsIs); }
absl::Status InferBackpropFilter(InferContext& c) { return InferConvolutionBackpropFilter(c, FilterAsIs); }

// An op of the family with the attributes of another call of it: each is the derivative of the others.
Tensor Like(const Recorded& op, OpId id, std::initializer_list<Operand> inputs) {
  using List = std::span<const int64_t>;
  return Run(id, inputs,
             {op.attr<List>("strides"), true, op.attr<std::string_view>("padding"), op.attr<List>("explicit_paddings"),
              op.attr<std::string_view>("data_format"), op.attr<List>("dilations")},
             op.origin());
}

Tensors Conv2DGradient(const Recorded& op, const Tensor& dy) {
  return {Like(op, Op<"Conv2DBackpropInput">(), {ShapeOfInput(op, 0).tensor(), op.input(1), dy}),
          Like(op, Op<"Conv2DBackpropFilter">(), {op.input(0), ShapeOfInput(op, 1).tensor(), dy})};
}
Tensors BackpropInputGradient(const Recorded& op, const Tensor& dy) {
  return {Tensor(), Like(op, Op<"Conv2DBackpropFilter">(), {dy, ShapeOfInput(op, 1).tensor(), op.input(2)}), Like(op, Op<"Conv2D">(), {dy, op.input(1)})};
}
Tensors BackpropFilterGradient(const Recorded& op, const Tensor& dy) {
  return {Like(op, Op<"Conv2DBackpropInput">(), {ShapeOfInput(op, 0).tensor(), dy, op.input(2)}), Tensor(), Like(op, Op<"Conv2D">(), {op.input(0), dy})};
}

// Attributes of a public call. Explicit paddings are there exactly when padding says so.
std::span<const int64_t> ExplicitPaddings(const Conv2DOptions& o) {
  return o.padding == "EXPLICIT" ? std::span<const int64_t>(o.explicit_paddings) : std::span<const int64_t>();
}

}  // namespace

OpSchema Conv2DSchema() {
  return OpSchema("Conv2D", "The convolution of images with filters: sums of products over windows and channels.")
      .Signature("input:T, filter:T", "output:T", std::string("T:type{half,bfloat16,float,double,int32}; ") + kAttrs)
      .Infer(InferConv2D).Gradient(Conv2DGradient).GradientReads("input, filter");
}
OpSchema Conv2DBackpropInputSchema() {
  return OpSchema("Conv2DBackpropInput", "The derivative of a convolution by its input, which has shape input_sizes.")
      .Signature("input_sizes:int32, filter:T, out_backprop:T", "output:T", std::string("T:type{half,bfloat16,float,double,int32}; ") + kAttrs)
      .Infer(InferBackpropInput).Gradient(BackpropInputGradient).GradientReads("filter, out_backprop").KernelType("T");
}
OpSchema Conv2DBackpropFilterSchema() {
  return OpSchema("Conv2DBackpropFilter", "The derivative of a convolution by its filter, which has shape filter_sizes.")
      .Signature("input:T, filter_sizes:int32, out_backprop:T", "output:T", std::string("T:type{half,bfloat16,float,double}; ") + kAttrs)
      .Infer(InferBackpropFilter).Gradient(BackpropFilterGradient).GradientReads("input, out_backprop");
}

Tensor Conv2D(Operand input, Operand filter, const Conv2DOptions& o) {
  return Run(Op<"Conv2D">(), {input, filter},
             {std::span<const int64_t>(o.strides), true, o.padding, ExplicitPaddings(o), o.data_format, std::span<const int64_t>(o.dilations)},
             input.origin());
}
Tensor Conv2DBackpropInput(const Ints& input_sizes, Operand filter, Operand dy, const Conv2DOptions& o) {
  return Run(Op<"Conv2DBackpropInput">(), {input_sizes.tensor(), filter, dy},
             {std::span<const int64_t>(o.strides), true, o.padding, ExplicitPaddings(o), o.data_format, std::span<const int64_t>(o.dilations)},
             filter.origin());
}
Tensor Conv2DBackpropFilter(Operand input, const Ints& filter_sizes, Operand dy, const Conv2DOptions& o) {
  return Run(Op<"Conv2DBackpropFilter">(), {input, filter_sizes.tensor(), dy},
             {std::span<const int64_t>(o.strides), true, o.padding, ExplicitPaddings(o), o.data_format, std::span<const int64_t>(o.dilations)},
             input.origin());
}

}  // namespace tandem
