#include "core/ops/tensor_list.h"

#include "core/int_values.h"
#include "core/ops/arithmetic.h"
#include "core/ops/likeness.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/ops/slice.h"
#include "core/ops/tensor_list_shape.h"

namespace tandem {
namespace {

absl::Status CheckCount(const InferContext& c, int i, int64_t least) {
  RETURN_IF_ERROR(c.InputOfRank(i, 0).status());
  const auto values = c.IntValues(i);
  if (values && !values->empty() && (*values)[0] < least) return c.Error(c.InputName(i), " is ", (*values)[0], ", must be at least ", least);
  return absl::OkStatus();
}

absl::Status InferEmpty(InferContext& c) {
  RETURN_IF_ERROR(InferElementShape(c, 0).status());
  RETURN_IF_ERROR(CheckCount(c, 1, -1));
  return c.Output({});
}

absl::Status InferReserve(InferContext& c) {
  RETURN_IF_ERROR(InferElementShape(c, 0).status());
  RETURN_IF_ERROR(CheckCount(c, 1, 0));
  return c.Output({});
}

absl::Status InferPushBack(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  return c.Output({});
}

absl::Status InferPopBack(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  ASSIGN_OR_RETURN(Shape element, InferElementShape(c, 1));
  RETURN_IF_ERROR(c.Output(0, {}));
  return c.Output(1, std::move(element));
}

absl::Status InferGetItem(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  RETURN_IF_ERROR(c.InputOfRank(1, 0).status());
  ASSIGN_OR_RETURN(Shape element, InferElementShape(c, 2));
  return c.Output(std::move(element));
}

absl::Status InferSetItem(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  RETURN_IF_ERROR(c.InputOfRank(1, 0).status());
  return c.Output({});
}

absl::Status InferLength(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  return c.Output({});
}

absl::Status InferOfList(InferContext& c) { return CheckListHandle(c, 0); }

absl::Status InferResize(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  RETURN_IF_ERROR(CheckCount(c, 1, 0));
  return c.Output({});
}

absl::Status InferConcatLists(InferContext& c) {
  RETURN_IF_ERROR(CheckListHandle(c, 0));
  RETURN_IF_ERROR(CheckListHandle(c, 1));
  return c.Output({});
}

// Appending is undone by taking off, and the reverse.
Tensors PushBackGradient(const Recorded& op, const Tensor& dy) {
  const Tensor& item = op.input(1);
  Tensors popped = TensorListPopBack(dy, item.dtype(), ShapeOfItem(item));
  if (item.dtype() == kVariant) popped[1] = AddN(Tensors{ZerosLike(item), popped[1]});  // it may never have been set
  else if (!IsDifferentiable(item.dtype())) popped[1] = Tensor();
  return popped;
}

Tensors PopBackGradient(const Recorded& op, std::span<const Tensor> dy) {
  const Tensor item = dy[1].defined() ? dy[1] : ZerosLike(op.output(1));
  return {TensorListPushBack(ListGradient(dy[0], op.output(0)), item), Tensor()};
}

Tensors GetItemGradient(const Recorded& op, const Tensor& dy) {
  const Tensor zeros = TensorListReserve(TensorListLength(op.input(0)), dy.dtype(), ShapeOfItem(dy));
  return {TensorListSetItem(zeros, op.input(1), dy), Tensor(), Tensor()};
}

Tensors SetItemGradient(const Recorded& op, const Tensor& dy) {
  const Tensor &index = op.input(1), &item = op.input(2);
  Tensor list = TensorListSetItem(dy, index, ZerosLike(item));
  if (op.attr<bool>("resize_if_index_out_of_bounds")) list = TensorListResize(list, TensorListLength(op.input(0)));
  return {list, Tensor(), TensorListGetItem(dy, index, item.dtype(), ShapeOfItem(item))};
}

Tensors ResizeGradient(const Recorded& op, const Tensor& dy) { return {TensorListResize(dy, TensorListLength(op.input(0))), Tensor()}; }

constexpr const char* kConstantList = "the list holds no value of an input";

}  // namespace

ElementShape::ElementShape(const Shape& shape) {
  if (!shape.known_rank()) {
    value_ = Tensor(-1);
    return;
  }
  std::vector<int32_t> dims;
  for (int64_t d : shape.dims()) dims.push_back(d > INT32_MAX ? -1 : static_cast<int32_t>(d));  // a larger one is left open
  value_ = Tensor(dims);
}

absl::StatusOr<Shape> InferElementShape(const InferContext& c, int i) {
  if (c.rank(i) > 1) return c.Error(c.InputName(i), " must be a vector, or -1 for any, is ", c.input(i).ToString());
  if (c.rank(i) == 1) return ShapeFromValue(c, i, /*minus_one=*/true);
  const auto values = c.IntValues(i);
  if (values && !values->empty() && (*values)[0] != -1) return c.Error(c.InputName(i), " is the scalar ", (*values)[0], ", must be a vector, or -1 for any");
  return Shape::Unknown();
}

absl::Status CheckListHandle(const InferContext& c, int i) { return c.InputOfRank(i, 0).status(); }

Shape WithoutFirst(const Shape& shape) { return shape.rank() < 1 ? Shape::Unknown() : Shape(shape.dims().subspan(1)); }

Shape WithFirst(int64_t first, const Shape& rest) {
  if (!rest.known_rank() || rest.rank() >= kMaxRank) return Shape::Unknown();
  Shape out = {first};
  for (int64_t d : rest.dims()) out.push_back(d);
  return out;
}

ElementShape ItemShapeOf(const Tensor& stacked) {
  const Shape item = WithoutFirst(stacked.shape());
  if (item.fully_known() || !stacked.symbolic()) return item;
  return Slice(ShapeOf(stacked), {1}, {-1});
}

ElementShape ShapeOfItem(const Tensor& item) {
  if (!item.symbolic() || item.shape().fully_known()) return item.shape();
  return ShapeOf(item);
}

Tensor ListGradient(const Tensor& dy, const Tensor& output) { return dy.defined() ? dy : ZerosLike(output); }

OpSchema EmptyTensorListSchema() {
  return OpSchema("EmptyTensorList", "A list without items, to which items of a dtype and shape are appended.")
      .Signature("element_shape:shape_type, max_num_elements:int32", "handle:variant", "element_dtype:type; shape_type:type{int32,int64}")
      .Traits(kAlias | kMayFail).Infer(InferEmpty).NotDifferentiable(kConstantList);
}
OpSchema TensorListReserveSchema() {
  return OpSchema("TensorListReserve", "A list of num_elements items, none of which is set.")
      .Signature("element_shape:shape_type, num_elements:int32", "handle:variant", "element_dtype:type; shape_type:type{int32,int64}")
      .Traits(kAlias | kMayFail).Infer(InferReserve).NotDifferentiable(kConstantList);
}
OpSchema TensorListPushBackSchema() {
  return OpSchema("TensorListPushBack", "The list with the tensor behind its last item.")
      .Signature("input_handle:variant, tensor:element_dtype", "output_handle:variant", "element_dtype:type")
      .Traits(kAlias | kMayFail)
      .Infer(InferPushBack).Gradient(PushBackGradient).GradientReads("");
}
OpSchema TensorListPopBackSchema() {
  return OpSchema("TensorListPopBack", "The list without its last item, and that item.")
      .Signature("input_handle:variant, element_shape:int32", "output_handle:variant, tensor:element_dtype", "element_dtype:type")
      .Traits(kAlias | kKernelAllocates | kMayFail)
      .Infer(InferPopBack).Gradient(PopBackGradient).GradientReads("output_handle, tensor");
}
OpSchema TensorListGetItemSchema() {
  return OpSchema("TensorListGetItem", "The item of that index; zeros where none was set and the shape is known.")
      .Signature("input_handle:variant, index:int32, element_shape:Tshape", "item:element_dtype", "element_dtype:type; Tshape:type=int32{int32,int64}")
      .Traits(kAlias | kKernelAllocates | kMayFail)
      .Infer(InferGetItem).Gradient(GetItemGradient).GradientReads("input_handle, index");
}
OpSchema TensorListSetItemSchema() {
  return OpSchema("TensorListSetItem", "The list with another item at that index.")
      .Signature("input_handle:variant, index:int32, item:element_dtype", "output_handle:variant",
                 "element_dtype:type; resize_if_index_out_of_bounds:bool=false")
      .Traits(kAlias | kMayFail)
      .Infer(InferSetItem).Gradient(SetItemGradient).GradientReads("input_handle, index, item");
}
OpSchema TensorListLengthSchema() {
  return OpSchema("TensorListLength", "The number of items.")
      .Signature("input_handle:variant", "length:int32")
      .Traits(kMayFail).Infer(InferLength).NotDifferentiable("values are integers");
}
OpSchema TensorListElementShapeSchema() {
  return OpSchema("TensorListElementShape", "What the shape of every item fits: a vector with -1 where a dimension is open, or -1.")
      .Signature("input_handle:variant", "element_shape:shape_type", "shape_type:type{int32,int64}")
      .Traits(kKernelAllocates | kMayFail).Infer(InferOfList).NotDifferentiable("values are integers");
}
OpSchema TensorListResizeSchema() {
  return OpSchema("TensorListResize", "The list cut, or continued with items that are not set.")
      .Signature("input_handle:variant, size:int32", "output_handle:variant")
      .Traits(kAlias | kMayFail).Infer(InferResize).Gradient(ResizeGradient).GradientReads("input_handle");
}
OpSchema TensorListConcatListsSchema() {
  return OpSchema("TensorListConcatLists", "The items of one list behind those of another.")
      .Signature("input_a:variant, input_b:variant", "output:variant", "element_dtype:type")
      .Traits(kAlias | kMayFail).Infer(InferConcatLists).NotDifferentiable("as in TensorFlow, which gives it none");
}

Tensor EmptyTensorList(DType element_dtype, const ElementShape& element_shape, Operand max_num_elements, Origin origin) {
  return Run(Op<"EmptyTensorList">(), {element_shape.value(), ToTensor(max_num_elements, kInt32)}, {element_dtype}, origin);
}
Tensor TensorListReserve(Operand num_elements, DType element_dtype, const ElementShape& element_shape, Origin origin) {
  return Run(Op<"TensorListReserve">(), {element_shape.value(), ToTensor(num_elements, kInt32)}, {element_dtype}, origin);
}
Tensor TensorListPushBack(const Tensor& list, const Tensor& item, Origin origin) {
  return Run(Op<"TensorListPushBack">(), {list, item}, {}, origin);
}
Tensors TensorListPopBack(const Tensor& list, DType element_dtype, const ElementShape& element_shape, Origin origin) {
  const Tensor inputs[] = {list, element_shape.value()};
  return RunMany(Op<"TensorListPopBack">(), inputs, {element_dtype}, origin);
}
Tensor TensorListGetItem(const Tensor& list, Operand index, DType element_dtype, const ElementShape& element_shape, Origin origin) {
  return Run(Op<"TensorListGetItem">(), {list, ToTensor(index, kInt32), element_shape.value()}, {element_dtype}, origin);
}
Tensor TensorListSetItem(const Tensor& list, Operand index, const Tensor& item, TensorListSetItemOptions options, Origin origin) {
  return Run(Op<"TensorListSetItem">(), {list, ToTensor(index, kInt32), item}, {options.resize_if_index_out_of_bounds}, origin);
}
Tensor TensorListLength(const Tensor& list, Origin origin) { return Run(Op<"TensorListLength">(), {list}, {}, origin); }
Tensor TensorListElementShape(const Tensor& list, DType shape_type, Origin origin) {
  return Run(Op<"TensorListElementShape">(), {list}, {shape_type}, origin);
}
Tensor TensorListResize(const Tensor& list, Operand size, Origin origin) {
  return Run(Op<"TensorListResize">(), {list, ToTensor(size, kInt32)}, {}, origin);
}
Tensor TensorListConcatLists(const Tensor& a, const Tensor& b, DType element_dtype, Origin origin) {
  return Run(Op<"TensorListConcatLists">(), {a, b}, {element_dtype}, origin);
}

}  // namespace tandem
