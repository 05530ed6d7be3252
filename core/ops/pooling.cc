#include "core/ops/pooling.h"

#include "core/gradient.h"
#include "core/ops/shape_value.h"
#include "core/ops/window.h"

namespace tandem {
namespace {

using List = std::span<const int64_t>;

// The output's shape for an image that may be unknown in part.
absl::StatusOr<Shape> PoolOutput(const InferContext& c, const Shape& input) {
  if (c.attr<std::string_view>("data_format") == "NCHW_VECT_C")
    return absl::UnimplementedError(absl::StrCat(c.schema().name(), ": data_format is NCHW_VECT_C, must be NHWC or NCHW"));
  const WindowAttrs attrs = PoolAttrs(c, c.schema());
  RETURN_IF_ERROR(attrs.Check(c.schema().name()));
  Shape some = input;  // what is unknown stands in by a number that cannot fail
  for (int axis = 0; axis < 4; ++axis)
    if (some[axis] < 0) some[axis] = INT32_MAX;
  ASSIGN_OR_RETURN(const PoolGeometry g, PoolGeometry::Of(c.schema().name(), attrs, some.dims()));
  Shape out = g.OutputShape();
  for (int axis = 0; axis < 4; ++axis)
    if (input[axis] < 0) out[axis] = kUnknownDim;
  return out;
}

absl::Status InferPool(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape input, c.InputOfRank(0, 4));
  ASSIGN_OR_RETURN(Shape out, PoolOutput(c, input));
  return c.Output(std::move(out));
}

absl::Status MustFit(const InferContext& c, int i, const Shape& want) {
  return want.CompatibleWith(c.input(i)) ? absl::OkStatus() : c.Error(c.Describe(i), ", must be ", want.ToString());
}

absl::Status InferMaxPoolGrad(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape input, c.InputOfRank(0, 4));
  ASSIGN_OR_RETURN(const Shape out, PoolOutput(c, input));
  RETURN_IF_ERROR(MustFit(c, 1, out));
  RETURN_IF_ERROR(MustFit(c, 2, out));
  return c.Output(input);
}

absl::Status InferMaxPoolGradGrad(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape input, c.InputOfRank(0, 4));
  ASSIGN_OR_RETURN(Shape out, PoolOutput(c, input));
  RETURN_IF_ERROR(MustFit(c, 1, out));
  RETURN_IF_ERROR(MustFit(c, 2, input));
  return c.Output(std::move(out));
}

absl::Status InferAvgPoolGrad(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape grad, c.InputOfRank(1, 4));
  ASSIGN_OR_RETURN(const std::optional<Shape> sizes, ImageSizes(c, 0));
  Shape input = {kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  if (sizes) input = *sizes;
  ASSIGN_OR_RETURN(const Shape out, PoolOutput(c, input));
  RETURN_IF_ERROR(MustFit(c, 1, out));
  if (input[0] < 0) input[0] = grad[0];
  return c.Output(std::move(input));
}

// An op of the family with the attributes of another call of it.
Tensor MaxLike(const Recorded& op, OpId id, std::initializer_list<Operand> inputs) {
  const bool twice = id == Op<"MaxPoolGradGrad">();
  const bool has_explicit = op.schema().FindAttr("explicit_paddings") >= 0;
  const auto padding = op.attr<std::string_view>("padding");
  const auto ksize = op.attr<List>("ksize"), strides = op.attr<List>("strides");
  const auto format = op.attr<std::string_view>("data_format");
  if (twice && padding == "EXPLICIT") ThrowError(absl::UnimplementedError("second derivatives with padding EXPLICIT have no op (MaxPoolGradGrad)"));
  if (twice) return Run(id, inputs, {ksize, strides, padding, format}, op.origin());
  return Run(id, inputs, {ksize, strides, padding, has_explicit ? op.attr<List>("explicit_paddings") : List(), format}, op.origin());
}
Tensor AvgLike(const Recorded& op, OpId id, std::initializer_list<Operand> inputs) {
  return Run(id, inputs, {op.attr<List>("ksize"), op.attr<List>("strides"), op.attr<std::string_view>("padding"), op.attr<std::string_view>("data_format")},
             op.origin());
}

Tensors MaxPoolGradient(const Recorded& op, const Tensor& dy) {
  return {MaxLike(op, Op<"MaxPoolGrad">(), {op.input(0), op.output(0), dy})};
}
// Which cell is the largest does not move with the input, but on a set of measure zero.
Tensors MaxPoolGradGradient(const Recorded& op, const Tensor& dy) {
  return {Tensor(), Tensor(), MaxLike(op, Op<"MaxPoolGradGrad">(), {op.input(0), op.input(1), dy})};
}
Tensors MaxPoolGradGradGradient(const Recorded& op, const Tensor& dy) {
  return {Tensor(), Tensor(), MaxLike(op, Op<"MaxPoolGrad">(), {op.input(0), op.input(1), dy})};
}
Tensors AvgPoolGradient(const Recorded& op, const Tensor& dy) { return {AvgLike(op, Op<"AvgPoolGrad">(), {ShapeOfInput(op, 0).tensor(), dy})}; }
Tensors AvgPoolGradGradient(const Recorded& op, const Tensor& dy) { return {Tensor(), AvgLike(op, Op<"AvgPool">(), {dy})}; }

constexpr const char* kMaxPoolAttrs =
    "ksize:list(int)>=4; strides:list(int)>=4; padding:string{\"SAME\",\"VALID\",\"EXPLICIT\"}; explicit_paddings:list(int)=[]; ";
constexpr const char* kAvgPoolAttrs =
    "ksize:list(int)>=4; strides:list(int)>=4; padding:string{\"SAME\",\"VALID\"}; data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\"}; "
    "T:type{half,bfloat16,float,double}";
constexpr const char* kGradTypes = "{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64}";

}  // namespace

OpSchema MaxPoolSchema() {
  return OpSchema("MaxPool", "The largest element of each window; NaN if there is one.")
      .Signature("input:T", "output:T",
                 std::string("T:type=float{half,bfloat16,float,double,int32,int64,uint8,int16,int8,uint16,qint8}; ") + kMaxPoolAttrs +
                     "data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\",\"NCHW_VECT_C\"}")
      .Infer(InferPool).Gradient(MaxPoolGradient).GradientReads("input, output");
}
OpSchema MaxPoolGradSchema() {
  return OpSchema("MaxPoolGrad", "The derivative of MaxPool by its input: grad at the first maximum of each window, added up.")
      .Signature("orig_input:T, orig_output:T, grad:T", "output:T",
                 std::string(kMaxPoolAttrs) + "data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\"}; T:type=float" + kGradTypes)
      .Infer(InferMaxPoolGrad).Gradient(MaxPoolGradGradient).GradientReads("orig_input, orig_output");
}
OpSchema MaxPoolGradGradSchema() {
  return OpSchema("MaxPoolGradGrad", "The derivative of MaxPoolGrad by grad: of each window, grad at the first maximum of orig_input.")
      .Signature("orig_input:T, orig_output:T, grad:T", "output:T",
                 std::string("ksize:list(int)>=4; strides:list(int)>=4; padding:string{\"SAME\",\"VALID\"}; "
                             "data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\"}; T:type") + kGradTypes)
      .Infer(InferMaxPoolGradGrad).Gradient(MaxPoolGradGradGradient).GradientReads("orig_input, orig_output");
}
OpSchema AvgPoolSchema() {
  return OpSchema("AvgPool", "The mean of the elements of each window; padding does not count.")
      .Signature("value:T", "output:T", kAvgPoolAttrs)
      .Infer(InferPool).Gradient(AvgPoolGradient).GradientReads("");
}
OpSchema AvgPoolGradSchema() {
  return OpSchema("AvgPoolGrad", "The derivative of AvgPool by its input, which has shape orig_input_shape.")
      .Signature("orig_input_shape:int32, grad:T", "output:T", kAvgPoolAttrs)
      .Infer(InferAvgPoolGrad).Gradient(AvgPoolGradGradient).GradientReads("").KernelType("T");
}

Tensor MaxPool(Operand input, const PoolOptions& o) {
  return Run(Op<"MaxPool">(), {input},
             {List(o.ksize), List(o.strides), o.padding, o.padding == "EXPLICIT" ? List(o.explicit_paddings) : List(), o.data_format},
             input.origin());
}
Tensor AvgPool(Operand value, const PoolOptions& o) {
  return Run(Op<"AvgPool">(), {value}, {List(o.ksize), List(o.strides), o.padding, o.data_format}, value.origin());
}

}  // namespace tandem
