#include "core/context.h"
#include "core/gradient.h"
#include "core/indexed_slices.h"
#include "core/ops/nd_index.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"
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

absl::Status InferIsInitialized(InferContext& c) {
  if (c.rank(0) > 0) return c.Error("resource must be a scalar, is ", c.input(0).ToString());
  return c.Output({});
}

absl::Status InferDestroy(InferContext& c) {
  if (c.rank(0) > 0) return c.Error("resource must be a scalar, is ", c.input(0).ToString());
  return absl::OkStatus();
}

// batch + indices[batch:] + the variable's dimensions behind the batch and the gathered one.
absl::Status InferGather(InferContext& c) {
  RETURN_IF_ERROR(CheckHandle(c, c.attr<DType>("dtype")));
  const int64_t batch = c.attr<int64_t>("batch_dims");
  const int rank = c.rank(1);
  if (rank >= 0 && (batch < -rank || batch > rank))
    return c.Error("batch_dims is ", batch, ", must be in [", -rank, ", ", rank, "] for ", c.Describe(1));
  if (!c.handle(0) || !c.handle(0)->shape.known_rank() || rank < 0) return c.Output(Shape::Unknown());
  const Shape& variable = c.handle(0)->shape;
  const auto b = static_cast<int>(batch < 0 ? batch + rank : batch);
  if (b >= variable.rank()) return c.Error("batch_dims is ", batch, ", must be below the rank of the variable, which is ", variable.ToString());
  Shape out;
  for (int i = 0; i < b; ++i) {
    if (!Compatible(variable[i], c.dim(1, i)))
      return c.Error("batch dimensions differ: the variable is ", variable.ToString(), " (dim ", i, " = ", variable[i], "), ", c.Describe(1, i));
    out.push_back(variable[i] < 0 ? c.dim(1, i) : variable[i]);
  }
  for (int i = b; i < rank; ++i) out.push_back(c.dim(1, i));
  for (int i = b + 1; i < variable.rank(); ++i) out.push_back(variable[i]);
  return c.Output(std::move(out));
}

// The variable's gradient: dy's slices added up where they came from.
Tensors GatherGradient(const Recorded& op, const Tensor& dy) {
  if (op.attr<int64_t>("batch_dims") != 0)
    ThrowError(absl::UnimplementedError("ResourceGather: there is no gradient for batch_dims other than 0"));
  const Tensor& indices = op.input(1);
  const Tensor variable = Run(Op<"ReadVariableOp">(), {op.input(0)}, {op.attr<DType>("dtype")});
  const Shape shape = variable.shape();
  return {GradientOfRows(dy, indices, shape.fully_known() ? Ints(shape) : Ints(ShapeOf(variable)), shape), Tensor()};
}

absl::Status InferGatherNd(InferContext& c) {
  RETURN_IF_ERROR(CheckHandle(c, c.attr<DType>("dtype")));
  ASSIGN_OR_RETURN(auto tail, NdTail(c, c.handle(0) ? c.handle(0)->shape : Shape::Unknown(), "the variable", 1));
  return c.Output(tail ? *tail : Shape::Unknown());
}

Tensors GatherNdGradient(const Recorded& op, const Tensor& dy) {
  const Tensor variable = Run(Op<"ReadVariableOp">(), {op.input(0)}, {dy.dtype()});
  const Shape shape = variable.shape();
  return {ScatterNd(op.input(1), dy, shape.fully_known() ? Ints(shape) : Ints(ShapeOf(variable, op.input_dtype(1)))), Tensor()};
}

absl::Status InferVariableShape(InferContext& c) {
  if (c.rank(0) > 0) return c.Error("input must be a scalar, is ", c.input(0).ToString());
  return c.Output({c.handle(0) && c.handle(0)->shape.known_rank() ? c.handle(0)->shape.rank() : kUnknownDim});
}

absl::Status InferCountUpTo(InferContext& c) {
  RETURN_IF_ERROR(CheckHandle(c, c.attr<DType>("T")));
  if (c.handle(0) && c.handle(0)->shape.known_rank() && c.handle(0)->shape.rank() != 0)
    return c.Error("the variable must be a scalar, is ", c.handle(0)->shape.ToString());
  return c.Output({});
}

Tensors ReadGradient(const Recorded&, const Tensor& dy) { return {dy}; }

}  // namespace

OpSchema VarHandleOpSchema() {
  return OpSchema("VarHandleOp", "A handle to the variable under container and shared_name, made if there is none.")
      .Signature("", "resource:resource",
                 "container:string=\"\"; shared_name:string=\"\"; debug_name:string=\"\"; dtype:type; shape:shape; allowed_devices:list(string)=[]")
      .Traits(kStateful | kAlias | kForwards)
      .Infer(InferHandle).NotDifferentiable("a handle is no number");
}
OpSchema ReadVariableOpSchema() {
  return OpSchema("ReadVariableOp", "The variable's value.")
      .Signature("resource:resource", "value:dtype", "dtype:type")
      .Traits(kStateful | kAlias | kForwards)
      .Infer(InferRead).Gradient(ReadGradient).GradientReads("");
}
OpSchema AssignVariableOpSchema() {
  return OpSchema("AssignVariableOp", "Gives the variable a new value.")
      .Signature("resource:resource, value:dtype", "", "dtype:type; validate_shape:bool=false")
      .Traits(kStateful | kSideEffect | kForwards)
      .Infer(InferAssign).NotDifferentiable("an assignment has no output");
}
OpSchema VarIsInitializedOpSchema() {
  return OpSchema("VarIsInitializedOp", "Whether the variable has a value.")
      .Signature("resource:resource", "is_initialized:bool")
      .Traits(kStateful | kForwards)
      .Infer(InferIsInitialized).NotDifferentiable("truth values have no derivative");
}
OpSchema AssignAddVariableOpSchema() {
  return OpSchema("AssignAddVariableOp", "Adds value to the variable; the shapes must be equal.")
      .Signature("resource:resource, value:dtype", "", "dtype:type")
      .Traits(kStateful | kSideEffect)
      .Infer(InferAssign).NotDifferentiable("an assignment has no output");
}
OpSchema AssignSubVariableOpSchema() {
  return OpSchema("AssignSubVariableOp", "Subtracts value from the variable; the shapes must be equal.")
      .Signature("resource:resource, value:dtype", "", "dtype:type")
      .Traits(kStateful | kSideEffect)
      .Infer(InferAssign).NotDifferentiable("an assignment has no output");
}
OpSchema ResourceGatherSchema() {
  return OpSchema("ResourceGather", "The variable's slices at indices along its first axis (behind batch_dims shared ones).")
      .Signature("resource:resource, indices:Tindices", "output:dtype",
                 "batch_dims:int=0; validate_indices:bool=true; dtype:type; Tindices:type{int32,int64}")
      .Traits(kStateful | kMayFail | kKernelAllocates)
      .Infer(InferGather).Gradient(GatherGradient).GradientReads("resource, indices");
}
OpSchema ResourceGatherNdSchema() {
  return OpSchema("ResourceGatherNd", "The variable's slices at coordinates: the last axis of indices indexes its first axes.")
      .Signature("resource:resource, indices:Tindices", "output:dtype", "dtype:type; Tindices:type{int32,int64}")
      .Traits(kStateful | kMayFail | kKernelAllocates)
      .Infer(InferGatherNd).Gradient(GatherNdGradient).GradientReads("resource, indices");
}
OpSchema VariableShapeSchema() {
  return OpSchema("VariableShape", "The shape of the variable's value.")
      .Signature("input:resource", "output:out_type", "out_type:type=int32{int32,int64}")
      .Traits(kStateful | kKernelAllocates)
      .KernelType("out_type")
      .Infer(InferVariableShape).NotDifferentiable("its values are integers");
}
OpSchema ResourceCountUpToSchema() {
  return OpSchema("ResourceCountUpTo", "The variable's value before it is increased by one; OUT_OF_RANGE once it has reached limit.")
      .Signature("resource:resource", "output:T", "limit:int; T:type{int32,int64}")
      .Traits(kStateful | kSideEffect | kMayFail)
      .KernelType("T")
      .Infer(InferCountUpTo).NotDifferentiable("its values are integers");
}
OpSchema DestroyResourceOpSchema() {
  return OpSchema("DestroyResourceOp", "Drops the resource behind the handle; using it later fails.")
      .Signature("resource:resource", "", "ignore_lookup_error:bool=true")
      .Traits(kStateful | kSideEffect | kForwards)
      .Infer(InferDestroy).NotDifferentiable("it has no output");
}

}  // namespace tandem
