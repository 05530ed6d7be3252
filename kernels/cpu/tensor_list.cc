#include "kernels/cpu/tensor_list.h"

#include "core/int_values.h"

namespace tandem {

absl::StatusOr<const TensorList*> ListInput(const KernelCall& call, int i, DType dtype) {
  const std::string& name = call.schema.inputs()[i].name;
  ASSIGN_OR_RETURN(const TensorList* list, GetTensorList(call.input(i), call.schema.name(), name));
  if (dtype != DType::kInvalid && list->dtype() != dtype)
    return call.Error(name, " holds ", std::string(DTypeName(list->dtype())), " items, element_dtype is ", std::string(DTypeName(dtype)));
  return list;
}

absl::Status SetList(KernelCall& call, int i, TensorList list) {
  call.SetOutput(i, MakeListHandle(std::move(list)));
  return absl::OkStatus();
}

Shape ElementShapeInput(const KernelCall& call, int i) {
  const TensorRep& value = call.input(i);
  return value.rank == 0 ? Shape::Unknown() : Shape(IntValues(value));
}

absl::StatusOr<Shape> MergedElementShape(const KernelCall& call, const TensorList& list, const Shape& shape) {
  if (auto merged = list.element_shape().MergedWith(shape)) return *std::move(merged);
  return call.Error("element_shape is ", shape.ToString(), ", that of the list ", list.element_shape().ToString());
}

absl::Status CheckItem(const KernelCall& call, const TensorList& list, const Shape& item) {
  if (list.element_shape().CompatibleWith(item)) return absl::OkStatus();
  return call.Error("an item of ", item.ToString(), " in a list of items of ", list.element_shape().ToString());
}

absl::Status CheckIndex(const KernelCall& call, const TensorList& list, int64_t index, std::string_view name) {
  if (index >= 0 && index < list.size()) return absl::OkStatus();
  return call.Error(Absl(name), " is ", index, ", the list has ", list.size(), list.size() == 1 ? " item" : " items");
}

absl::StatusOr<Tensor> ItemOrZeros(const KernelCall& call, const TensorList& list, int64_t i, const Shape& shape) {
  Tensor item = list.item(i);
  if (item.defined()) {
    if (!shape.CompatibleWith(item.shape())) return call.Error("item ", i, " is ", item.shape().ToString(), ", element_shape is ", shape.ToString());
    return item;
  }
  const auto count = shape.num_elements();
  if (!count) return call.Error("item ", i, " was never set, and zeros in its place need a known element_shape, which is ", shape.ToString());
  TensorRep* rep = NewRep(list.dtype(), shape.dims(), *count);
  if (!rep) return OutOfMemoryError(call.schema.name(), list.dtype(), shape.dims());
  if (DTypeSize(list.dtype()) && *count) std::memset(rep->data, 0, static_cast<size_t>(rep->bytes()));
  return Tensor::Adopt(rep);
}

namespace {

absl::Status Empty(KernelCall& call) {
  return SetList(call, 0, TensorList(call.attr<DType>("element_dtype"), ElementShapeInput(call, 0), *call.input(1).as<int32_t>()));
}

absl::Status Reserve(KernelCall& call) {
  return SetList(call, 0, TensorList(call.attr<DType>("element_dtype"), ElementShapeInput(call, 0)).Resize(*call.input(1).as<int32_t>()));
}

absl::Status PushBack(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0, call.input(1).dtype));
  RETURN_IF_ERROR(CheckItem(call, *list, call.input(1).shape()));
  if (list->max_num_elements() >= 0 && list->size() >= list->max_num_elements())
    return call.Error("the list has ", list->size(), list->size() == 1 ? " item" : " items", ", max_num_elements is ", list->max_num_elements());
  Tensor item = call.owned_input(1);
  if (!item.defined()) return OutOfMemoryError(call.schema.name(), call.input(1).dtype, call.input(1).dims_span());
  return SetList(call, 0, list->PushBack(std::move(item)));
}

absl::Status PopBack(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0, call.attr<DType>("element_dtype")));
  if (list->size() == 0) return call.Error("the list is empty");
  ASSIGN_OR_RETURN(const Shape shape, MergedElementShape(call, *list, ElementShapeInput(call, 1)));
  ASSIGN_OR_RETURN(Tensor item, ItemOrZeros(call, *list, list->size() - 1, shape));
  call.SetOutput(1, std::move(item));
  return SetList(call, 0, list->PopBack());
}

absl::Status GetItem(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0, call.attr<DType>("element_dtype")));
  const int64_t index = *call.input(1).as<int32_t>();
  RETURN_IF_ERROR(CheckIndex(call, *list, index, "index"));
  ASSIGN_OR_RETURN(const Shape shape, MergedElementShape(call, *list, ElementShapeInput(call, 2)));
  ASSIGN_OR_RETURN(Tensor item, ItemOrZeros(call, *list, index, shape));
  call.SetOutput(0, std::move(item));
  return absl::OkStatus();
}

absl::Status SetItem(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0, call.input(2).dtype));
  const int64_t index = *call.input(1).as<int32_t>();
  const bool grows = call.attr<bool>("resize_if_index_out_of_bounds") && index >= list->size();
  if (!grows) RETURN_IF_ERROR(CheckIndex(call, *list, index, "index"));
  RETURN_IF_ERROR(CheckItem(call, *list, call.input(2).shape()));
  Tensor item = call.owned_input(2);
  if (!item.defined()) return OutOfMemoryError(call.schema.name(), call.input(2).dtype, call.input(2).dims_span());
  return SetList(call, 0, (grows ? list->Resize(index + 1) : *list).SetItem(index, std::move(item)));
}

absl::Status Length(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0));
  *call.output().as<int32_t>() = static_cast<int32_t>(list->size());
  return absl::OkStatus();
}

absl::Status ElementShapeOf(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0));
  const DType dtype = call.attr<DType>("shape_type");
  const Shape& shape = list->element_shape();
  RETURN_IF_ERROR(call.Allocate(0, shape.known_rank() ? Shape{shape.rank()} : Shape{}, dtype));
  const auto set = [&]<class T>(T* out) {
    if (!shape.known_rank()) *out = -1;
    else for (int64_t d : shape.dims()) *out++ = static_cast<T>(d);
  };
  if (dtype == kInt32) set(call.output().as<int32_t>());
  else set(call.output().as<int64_t>());
  return absl::OkStatus();
}

absl::Status Resize(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0));
  return SetList(call, 0, list->Resize(*call.input(1).as<int32_t>()));
}

absl::Status ConcatLists(KernelCall& call) {
  const DType dtype = call.attr<DType>("element_dtype");
  ASSIGN_OR_RETURN(const TensorList* a, ListInput(call, 0, dtype));
  ASSIGN_OR_RETURN(const TensorList* b, ListInput(call, 1, dtype));
  ASSIGN_OR_RETURN(const Shape shape, MergedElementShape(call, *a, b->element_shape()));
  if (a->size() + b->size() > INT32_MAX) return call.Error("more than 2^31 - 1 items");
  TensorList joined(dtype, shape);
  for (const TensorList* part : {a, b})
    for (int64_t i = 0; i < part->size(); ++i) joined = joined.PushBack(part->item(i));
  return SetList(call, 0, std::move(joined));
}

}  // namespace

void EmptyTensorListCpu(CpuKernel& k) { k.SetAll(Empty); }
void TensorListReserveCpu(CpuKernel& k) { k.SetAll(Reserve); }
void TensorListPushBackCpu(CpuKernel& k) { k.SetAll(PushBack); }
void TensorListPopBackCpu(CpuKernel& k) { k.SetAll(PopBack); }
void TensorListGetItemCpu(CpuKernel& k) { k.SetAll(GetItem); }
void TensorListSetItemCpu(CpuKernel& k) { k.SetAll(SetItem); }
void TensorListLengthCpu(CpuKernel& k) { k.SetAll(Length); }
void TensorListElementShapeCpu(CpuKernel& k) { k.SetAll(ElementShapeOf); }
void TensorListResizeCpu(CpuKernel& k) { k.SetAll(Resize); }
void TensorListConcatListsCpu(CpuKernel& k) { k.SetAll(ConcatLists); }

}  // namespace tandem
