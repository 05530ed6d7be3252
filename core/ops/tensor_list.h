// Lists of tensors as values: what loops collect their results in, and save for their gradients.
//
//   Tensor list = EmptyTensorList(kFloat32, {2});
//   list = TensorListPushBack(list, x);                      // the old list is unchanged
//   Tensor last = TensorListGetItem(list, 0, kFloat32);
//   Tensor all = TensorListStack(list, kFloat32);            // [n, 2]
//
// A list is a variant scalar, printed <TensorList>. element_shape is what every item's shape must fit: unknown dimensions
// are allowed, Shape::Unknown() takes anything. Items never set read as zeros where their shape is known. INVALID_ARGUMENT:
// a variant that holds no list, an item of another dtype or a shape that does not fit, an index outside of the list.
#pragma once
#include "core/export.h"
#include "core/operand.h"
#include "core/shape.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// A shape, as far as it is known, or a tensor that spells it: -1 for any, or a vector with -1 for unknown dimensions.
class ElementShape {
 public:
  ElementShape(const Shape& shape = Shape::Unknown());
  ElementShape(std::initializer_list<int64_t> dims) : ElementShape(Shape(dims)) {}
  ElementShape(const Tensor& value) : value_(value) {}
  const Tensor& value() const { return value_; }

 private:
  Tensor value_;
};

// max_num_elements: appending more is an error; -1: no limit.
Tensor EmptyTensorList(DType element_dtype, const ElementShape& element_shape = {}, Operand max_num_elements = -1, Origin origin = Here());
// num_elements items, none set.
Tensor TensorListReserve(Operand num_elements, DType element_dtype, const ElementShape& element_shape = {}, Origin origin = Here());

Tensor TensorListPushBack(const Tensor& list, const Tensor& item, Origin origin = Here());
// {the list without its last item, that item}.
Tensors TensorListPopBack(const Tensor& list, DType element_dtype, const ElementShape& element_shape = {}, Origin origin = Here());
Tensor TensorListGetItem(const Tensor& list, Operand index, DType element_dtype, const ElementShape& element_shape = {}, Origin origin = Here());
struct TensorListSetItemOptions {
  bool resize_if_index_out_of_bounds = false;
};
Tensor TensorListSetItem(const Tensor& list, Operand index, const Tensor& item, TensorListSetItemOptions options = {}, Origin origin = Here());

Tensor TensorListLength(const Tensor& list, Origin origin = Here());  // int32 scalar
Tensor TensorListElementShape(const Tensor& list, DType shape_type = kInt32, Origin origin = Here());
// Cut, or continued with items that are not set.
Tensor TensorListResize(const Tensor& list, Operand size, Origin origin = Here());
Tensor TensorListConcatLists(const Tensor& a, const Tensor& b, DType element_dtype, Origin origin = Here());

// All items along a new first axis: [n] + item shape. num_elements: how many there must be; -1: any.
Tensor TensorListStack(const Tensor& list, DType element_dtype, const ElementShape& element_shape = {}, int64_t num_elements = -1, Origin origin = Here());
// The slices along the first axis. They share the tensor's buffer.
Tensor TensorListFromTensor(const Tensor& tensor, const ElementShape& element_shape = {}, Origin origin = Here());
// The items of these indices, stacked.
Tensor TensorListGather(const Tensor& list, const Tensor& indices, DType element_dtype, const ElementShape& element_shape = {}, Origin origin = Here());
// A list in which item indices[k] is slice k of tensor. It has num_elements items; -1: up to the largest index.
Tensor TensorListScatter(const Tensor& tensor, const Tensor& indices, const ElementShape& element_shape = {}, Operand num_elements = -1, Origin origin = Here());
Tensor TensorListScatterIntoExistingList(const Tensor& list, const Tensor& tensor, const Tensor& indices, Origin origin = Here());
// {items joined along their first axis, the length of each: int64}. leading_dims: lengths of items that were never set.
Tensors TensorListConcat(const Tensor& list, DType element_dtype, const ElementShape& element_shape = {},
                         const Tensor& leading_dims = Tensor(std::vector<int64_t>{}), Origin origin = Here());
// Pieces of these lengths along the first axis.
Tensor TensorListSplit(const Tensor& tensor, const Tensor& lengths, const ElementShape& element_shape = {}, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
