// Lists made of one tensor, and tensors made of a list.
#include "core/ops/concat.h"
#include "core/ops/fill.h"
#include "core/ops/likeness.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"
#include "core/ops/shape_value.h"
#include "core/ops/slice.h"
#include "core/ops/tensor_list.h"
#include "core/ops/tensor_list_shape.h"

namespace tandem {
namespace {

absl::Status InferStack(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  ASSIGN_OR_RETURN(const Shape element, InferElementShape(c, 1));
  const int64_t n = c.attr<int64_t>("num_elements");
  if (n < -1) return c.Error("num_elements is ", n, ", must be at least -1");
  return c.Output(WithFirst(n < 0 ? kUnknownDim : n, element));
}

absl::Status InferFromTensor(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape tensor, c.InputOfRankAtLeast(0, 1));
  ASSIGN_OR_RETURN(const Shape element, InferElementShape(c, 1));
  if (tensor.known_rank() && !element.CompatibleWith(WithoutFirst(tensor)))
    return c.Error("items of ", WithoutFirst(tensor).ToString(), " do not fit element_shape ", element.ToString(), ": ", c.Describe(0));
  return c.Output({});
}

absl::Status InferGather(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  ASSIGN_OR_RETURN(const Shape indices, c.InputOfRank(1, 1));
  ASSIGN_OR_RETURN(const Shape element, InferElementShape(c, 2));
  return c.Output(WithFirst(indices[0], element));
}

absl::Status CheckScatter(InferContext& c, int tensor, int indices) {
  ASSIGN_OR_RETURN(const Shape values, c.InputOfRankAtLeast(tensor, 1));
  ASSIGN_OR_RETURN(const Shape positions, c.InputOfRank(indices, 1));
  if (values.known_rank() && !Compatible(values[0], positions[0])) return c.Differ("numbers of items", tensor, 0, indices, 0);
  return c.Output({});
}

absl::Status InferScatter(InferContext& c) {
  RETURN_IF_ERROR(CheckScatter(c, 0, 1));
  RETURN_IF_ERROR(InferElementShape(c, 2).status());
  RETURN_IF_ERROR(c.InputOfRank(3, 0).status());
  const auto n = c.IntValues(3);
  if (n && !n->empty() && (*n)[0] < -1) return c.Error("num_elements is ", (*n)[0], ", must be at least -1");
  return absl::OkStatus();
}

absl::Status InferScatterInto(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  return CheckScatter(c, 1, 2);
}

absl::Status InferConcat(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  ASSIGN_OR_RETURN(const Shape element, InferElementShape(c, 1));
  if (element.rank() == 0) return c.Error("element_shape is [], scalars cannot be concatenated, only stacked");
  RETURN_IF_ERROR(c.InputOfRank(2, 1).status());
  RETURN_IF_ERROR(c.Output(0, element.known_rank() ? WithFirst(kUnknownDim, WithoutFirst(element)) : element));
  return c.Output(1, {kUnknownDim});
}

absl::Status InferSplit(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape tensor, c.InputOfRankAtLeast(0, 1));
  ASSIGN_OR_RETURN(const Shape element, InferElementShape(c, 1));
  ASSIGN_OR_RETURN(const Shape lengths, c.InputOfRank(2, 1));
  if (tensor.known_rank() && element.known_rank() && (element.rank() != tensor.rank() || !WithoutFirst(element).CompatibleWith(WithoutFirst(tensor))))
    return c.Error("pieces of ", c.Describe(0), " do not fit element_shape ", element.ToString());
  if (const auto values = c.IntValues(2)) {
    int64_t total = 0;
    for (size_t k = 0; k < values->size(); ++k) {
      if ((*values)[k] < 0) return c.Error("lengths[", k, "] is ", (*values)[k], ", must not be negative");
      if (__builtin_add_overflow(total, (*values)[k], &total)) return c.Error("lengths add up to more than 2^63 - 1");
    }
    if (tensor.known_rank() && tensor[0] >= 0 && total != tensor[0]) return c.Error("lengths add up to ", total, ", ", c.Describe(0, 0));
  }
  return c.Output({});
}

Tensors StackGradient(const Recorded&, const Tensor& dy) { return {TensorListFromTensor(dy, ItemShapeOf(dy)), Tensor()}; }

Tensors FromTensorGradient(const Recorded& op, const Tensor& dy) {
  const Tensor& tensor = op.input(0);
  const Shape shape = tensor.shape();
  return {TensorListStack(dy, tensor.dtype(), ItemShapeOf(tensor), shape.rank() > 0 ? shape[0] : -1), Tensor()};
}

// Indices may repeat: what they gathered adds up.
Tensors GatherGradient(const Recorded& op, const Tensor& dy) {
  const Tensor length = Reshape(TensorListLength(op.input(0)), Ints({1}));
  const Tensor shape = Concat({length, Slice(ShapeOf(dy), {1}, {-1})}, 0);
  return {TensorListFromTensor(ScatterNd(ExpandDims(op.input(1), 1), dy, shape), ItemShapeOf(dy)), Tensor(), Tensor()};
}

Tensors ScatterGradient(const Recorded& op, const Tensor& dy) {
  const Tensor& tensor = op.input(0);
  return {TensorListGather(dy, op.input(1), tensor.dtype(), ItemShapeOf(tensor)), Tensor(), Tensor(), Tensor()};
}

Tensors ScatterIntoGradient(const Recorded& op, const Tensor& dy) {
  const Tensor &tensor = op.input(1), &indices = op.input(2);
  const Tensor list = TensorListResize(TensorListScatterIntoExistingList(dy, ZerosLike(tensor), indices), TensorListLength(op.input(0)));
  return {list, TensorListGather(dy, indices, tensor.dtype(), ItemShapeOf(tensor)), Tensor()};
}

Tensors ConcatGradient(const Recorded& op, std::span<const Tensor> dy) {
  return {TensorListSplit(dy[0], op.output(1)), Tensor(), Tensor()};
}

Tensors SplitGradient(const Recorded& op, const Tensor& dy) {
  return {TensorListConcat(dy, op.input_dtype(0), Shape::Unknown(), op.input(2))[0], Tensor(), Tensor()};
}

}  // namespace

OpSchema TensorListStackSchema() {
  return OpSchema("TensorListStack", "All items along a new first axis.")
      .Signature("input_handle:variant, element_shape:int32", "tensor:element_dtype", "element_dtype:type; num_elements:int=-1")
      .Traits(kKernelAllocates | kMayFail)
      .Infer(InferStack).Gradient(StackGradient).GradientReads("");
}
OpSchema TensorListFromTensorSchema() {
  return OpSchema("TensorListFromTensor", "The slices of a tensor along its first axis.")
      .Signature("tensor:element_dtype, element_shape:shape_type", "output_handle:variant", "element_dtype:type; shape_type:type{int32,int64}")
      .Traits(kAlias | kMayFail)
      .Infer(InferFromTensor).Gradient(FromTensorGradient).GradientReads("");
}
OpSchema TensorListGatherSchema() {
  return OpSchema("TensorListGather", "The items of the given indices, along a new first axis.")
      .Signature("input_handle:variant, indices:int32, element_shape:int32", "values:element_dtype", "element_dtype:type")
      .Traits(kKernelAllocates | kMayFail)
      .Infer(InferGather).Gradient(GatherGradient).GradientReads("input_handle, indices");
}
OpSchema TensorListScatterV2Schema() {
  return OpSchema("TensorListScatterV2", "A list whose item indices[k] is slice k of a tensor.")
      .Signature("tensor:element_dtype, indices:int32, element_shape:shape_type, num_elements:int32", "output_handle:variant",
                 "element_dtype:type; shape_type:type{int32,int64}")
      .Traits(kAlias | kMayFail)
      .Infer(InferScatter).Gradient(ScatterGradient).GradientReads("indices");
}
OpSchema TensorListScatterIntoExistingListSchema() {
  return OpSchema("TensorListScatterIntoExistingList", "The list with slice k of a tensor as its item indices[k].")
      .Signature("input_handle:variant, tensor:element_dtype, indices:int32", "output_handle:variant", "element_dtype:type")
      .Traits(kAlias | kMayFail)
      .Infer(InferScatterInto).Gradient(ScatterIntoGradient).GradientReads("input_handle, tensor, indices");
}
OpSchema TensorListConcatV2Schema() {
  return OpSchema("TensorListConcatV2", "All items joined along their first axis, and the length of each.")
      .Signature("input_handle:variant, element_shape:shape_type, leading_dims:int64", "tensor:element_dtype, lengths:int64",
                 "element_dtype:type; shape_type:type{int32,int64}")
      .Traits(kKernelAllocates | kMayFail)
      .Infer(InferConcat).Gradient(ConcatGradient).GradientReads("lengths");
}
OpSchema TensorListSplitSchema() {
  return OpSchema("TensorListSplit", "Pieces of the given lengths along the first axis of a tensor.")
      .Signature("tensor:element_dtype, element_shape:shape_type, lengths:int64", "output_handle:variant",
                 "element_dtype:type; shape_type:type{int32,int64}")
      .Traits(kAlias | kMayFail)
      .Infer(InferSplit).Gradient(SplitGradient).GradientReads("lengths");
}

Tensor TensorListStack(const Tensor& list, DType element_dtype, const ElementShape& element_shape, int64_t num_elements, Origin origin) {
  return Run(Op<"TensorListStack">(), {list, element_shape.value()}, {element_dtype, num_elements}, origin);
}
Tensor TensorListFromTensor(const Tensor& tensor, const ElementShape& element_shape, Origin origin) {
  return Run(Op<"TensorListFromTensor">(), {tensor, element_shape.value()}, {}, origin);
}
Tensor TensorListGather(const Tensor& list, const Tensor& indices, DType element_dtype, const ElementShape& element_shape, Origin origin) {
  return Run(Op<"TensorListGather">(), {list, indices, element_shape.value()}, {element_dtype}, origin);
}
Tensor TensorListScatter(const Tensor& tensor, const Tensor& indices, const ElementShape& element_shape, Operand num_elements, Origin origin) {
  return Run(Op<"TensorListScatterV2">(), {tensor, indices, element_shape.value(), ToTensor(num_elements, kInt32)}, {}, origin);
}
Tensor TensorListScatterIntoExistingList(const Tensor& list, const Tensor& tensor, const Tensor& indices, Origin origin) {
  return Run(Op<"TensorListScatterIntoExistingList">(), {list, tensor, indices}, {}, origin);
}
Tensors TensorListConcat(const Tensor& list, DType element_dtype, const ElementShape& element_shape, const Tensor& leading_dims, Origin origin) {
  const Tensor inputs[] = {list, element_shape.value(), leading_dims};
  return RunMany(Op<"TensorListConcatV2">(), inputs, {element_dtype}, origin);
}
Tensor TensorListSplit(const Tensor& tensor, const Tensor& lengths, const ElementShape& element_shape, Origin origin) {
  return Run(Op<"TensorListSplit">(), {tensor, element_shape.value(), lengths}, {}, origin);
}

}  // namespace tandem
