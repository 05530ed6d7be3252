#include "core/context.h"
#include "core/gradient.h"
#include "core/variable.h"

namespace tandem {
namespace {

absl::Status InferHandle(InferContext& c) {
  c.SetHandle(0, {c.attr<DType>("dtype"), c.attr<Shape>("shape")});
  return c.Output({});
}

absl::Status CheckHandle(const InferContext& c, DType dtype) {
  if (c.rank(0) > 0) return c.Error("resource must be a scalar, is ", c.input(0).ToString());
  if (c.handle(0) && c.handle(0)->dtype != dtype)
    return c.Error("the variable is ", std::string(DTypeName(c.handle(0)->dtype)), ", asked for ", std::string(DTypeName(dtype)));
  return absl::OkStatus();
}

absl::Status InferRead(InferContext& c) {
  RETURN_IF_ERROR(CheckHandle(c, c.attr<DType>("dtype")));
  return c.Output(c.handle(0) ? c.handle(0)->shape : Shape::Unknown());
}

absl::Status InferAssign(InferContext& c) {
  RETURN_IF_ERROR(CheckHandle(c, c.dtype(1)));
  if (c.handle(0) && !c.handle(0)->shape.CompatibleWith(c.input(1)))
    return c.Error("the variable is ", c.handle(0)->shape.ToString(), ", value is ", c.input(1).ToString());
  return absl::OkStatus();
}

Tensors ReadGradient(const Recorded&, const Tensor& dy) { return {dy}; }

}  // namespace

OpSchema VarHandleOpSchema() {
  return OpSchema("VarHandleOp", "A handle to the variable under container and shared_name, made if there is none.")
      .Signature("", "resource:resource",
                 "container:string=\"\"; shared_name:string=\"\"; debug_name:string=\"\"; dtype:type; shape:shape; allowed_devices:list(string)=[]")
      .Traits(kStateful | kAlias)
      .Infer(InferHandle).NotDifferentiable("a handle is no number");
}
OpSchema ReadVariableOpSchema() {
  return OpSchema("ReadVariableOp", "The variable's value.")
      .Signature("resource:resource", "value:dtype", "dtype:type")
      .Traits(kStateful | kAlias)
      .Infer(InferRead).Gradient(ReadGradient).GradientReads("");
}
OpSchema AssignVariableOpSchema() {
  return OpSchema("AssignVariableOp", "Gives the variable a new value.")
      .Signature("resource:resource, value:dtype", "", "dtype:type; validate_shape:bool=false")
      .Traits(kStateful | kSideEffect)
      .Infer(InferAssign).NotDifferentiable("an assignment has no output");
}

}  // namespace tandem
