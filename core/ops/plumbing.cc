#include "core/ops/plumbing.h"

#include "core/gradient.h"

namespace tandem {
namespace {

absl::Status InferConst(InferContext& c) {
  const Tensor value = c.attr<Tensor>("value");
  if (!value.defined()) return c.Error("attribute value holds no tensor");
  if (value.dtype() != c.attr<DType>("dtype"))
    return c.Error("attribute dtype is ", std::string(DTypeName(c.attr<DType>("dtype"))), ", value is ",
                   std::string(DTypeName(value.dtype())));
  return c.Output(value.shape());
}

absl::Status InferPlaceholder(InferContext& c) { return c.Output(c.attr<Shape>("shape")); }

absl::Status InferPlaceholderWithDefault(InferContext& c) {
  const Shape shape = c.attr<Shape>("shape");
  if (!shape.CompatibleWith(c.input(0))) return c.Error(c.Describe(0), ", which does not fit the shape ", shape.ToString());
  return c.Output(shape);  // not the input's: another value may be fed
}

absl::Status InferIdentity(InferContext& c) {
  if (c.handle(0)) c.SetHandle(0, *c.handle(0));
  return InferSameAsInput(c);
}

absl::Status InferIdentityN(InferContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.handle(i)) c.SetHandle(i, *c.handle(i));
    RETURN_IF_ERROR(c.Output(i, c.input(i)));
  }
  return absl::OkStatus();
}

absl::Status InferNothing(InferContext&) { return absl::OkStatus(); }

absl::Status InferEnsureShape(InferContext& c) {
  const Shape shape = c.attr<Shape>("shape");
  const auto merged = shape.MergedWith(c.input(0));
  if (!merged) return c.Error(c.Describe(0), ", must fit ", shape.ToString());
  return c.Output(*merged);
}

Tensors PassGradient(const Recorded&, const Tensor& dy) { return {dy}; }
Tensors PassGradients(const Recorded&, std::span<const Tensor> dy) { return Tensors(dy.begin(), dy.end()); }

}  // namespace

OpSchema ConstSchema() {
  return OpSchema("Const", "The constant value.")
      .Signature("", "output:dtype", "value:tensor; dtype:type")
      .Traits(kAlias | kForwards)
      .Infer(InferConst).NotDifferentiable("it has no input");
}
OpSchema PlaceholderSchema() {
  return OpSchema("Placeholder", "A value that every Run must feed; running it is an error.")
      .Signature("", "output:dtype", "dtype:type; shape:shape=<unknown>")
      .Traits(kStateful | kAlias | kForwards)  // its value comes from outside: two placeholders are never one
      .Infer(InferPlaceholder).NotDifferentiable("it has no input");
}
OpSchema PlaceholderWithDefaultSchema() {
  return OpSchema("PlaceholderWithDefault", "The input, unless a Run feeds another value.")
      .Signature("input:dtype", "output:dtype", "dtype:type; shape:shape")
      .Traits(kAlias | kForwards)
      .Infer(InferPlaceholderWithDefault).Gradient(PassGradient).GradientReads("");
}
OpSchema IdentitySchema() {
  return OpSchema("Identity", "The input itself.")
      .Signature("input:T", "output:T", "T:type")
      .Traits(kView)
      .Infer(InferIdentity).Gradient(PassGradient).GradientReads("");
}
OpSchema IdentityNSchema() {
  return OpSchema("IdentityN", "The inputs themselves; each output is there when every input is.")
      .Signature("input:list(T)", "output:list(T)", "T:list(type)>=1")
      .Traits(kAlias | kForwards)
      .Infer(InferIdentityN).Gradient(PassGradients).GradientReads("");
}
OpSchema NoOpSchema() {
  return OpSchema("NoOp", "Does nothing: a node to hang control dependencies on.")
      .Signature("", "")
      .Traits(kForwards)
      .Infer(InferNothing).NotDifferentiable("it has neither input nor output");
}
OpSchema StopGradientSchema() {
  return OpSchema("StopGradient", "The input, a constant to differentiation.")
      .Signature("input:T", "output:T", "T:type")
      .Traits(kView)
      .Infer(InferSameAsInput).NotDifferentiable("that is its purpose");
}
OpSchema EnsureShapeSchema() {
  return OpSchema("EnsureShape", "The input, whose shape must fit the attribute.")
      .Signature("input:T", "output:T", "shape:shape; T:type")
      .Traits(kView | kMayFail)
      .Infer(InferEnsureShape).Gradient(PassGradient).GradientReads("");
}

Tensor Constant(const Tensor& value, std::string_view name, Origin origin) {
  return Run(Op<"Const">(), {}, {value, value.dtype()}, origin, name);
}
Tensor Placeholder(DType dtype, const Shape& shape, std::string_view name, Origin origin) {
  return Run(Op<"Placeholder">(), {}, {dtype, shape}, origin, name);
}
Tensor PlaceholderWithDefault(const Tensor& input, const Shape& shape, std::string_view name, Origin origin) {
  return Run(Op<"PlaceholderWithDefault">(), {input}, {shape}, origin, name);
}
Tensor Identity(Operand x, std::string_view name) { return Run(Op<"Identity">(), {x}, {}, x.origin(), name); }
Tensors IdentityN(const Tensors& inputs, std::string_view name, Origin origin) {
  return RunMany(Op<"IdentityN">(), inputs, {}, origin, name);
}
void NoOp(std::string_view name, Origin origin) { RunMany(Op<"NoOp">(), {}, {}, origin, name); }
Tensor StopGradient(const Tensor& x, Origin origin) { return Run(Op<"StopGradient">(), {x}, {}, origin); }
Tensor EnsureShape(const Tensor& x, const Shape& shape, Origin origin) {
  return Run(Op<"EnsureShape">(), {x}, {shape}, origin);
}

}  // namespace tandem
