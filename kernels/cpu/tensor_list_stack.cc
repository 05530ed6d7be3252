// Lists as one tensor, and one tensor as a list; sums and zeros of lists.
#include <algorithm>
#include <numeric>

#include "core/context.h"
#include "core/int_values.h"
#include "core/ops/arithmetic.h"
#include "core/ops/likeness.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/tensor_list.h"

namespace tandem {

Tensor RowsOf(const Tensor& tensor, int64_t begin, int64_t n, bool drop_axis) {
  TensorRep& base = *tensor.rep();
  Shape shape = base.shape();
  const int64_t rows = shape[0], row = rows ? base.count / rows : 0;
  shape[0] = n;
  const std::span<const int64_t> dims = drop_axis ? shape.dims().subspan(1) : shape.dims();
  TensorRep* view = NewView(base, base.dtype, dims, row * n, ElementAt(base.data, base.dtype, begin * row));
  if (!view) throw std::bad_alloc();
  return Tensor::Adopt(view);
}

absl::Status StackItems(KernelCall& call, const TensorList& list, int64_t count, const int32_t* index, const Shape& element_shape) {
  const auto place = [&](int64_t k) { return index ? int64_t{index[k]} : k; };
  ASSIGN_OR_RETURN(Shape shape, MergedElementShape(call, list, element_shape));
  for (int64_t k = 0; k < count; ++k) {
    const Tensor item = list.item(place(k));
    if (!item.defined()) continue;
    auto merged = shape.MergedWith(item.shape());
    if (!merged) return call.Error("item ", place(k), " is ", item.shape().ToString(), ", the others are ", shape.ToString());
    shape = *std::move(merged);
  }
  if (!shape.fully_known()) {
    if (count == 0) return call.Error("no items, and element_shape is not fully known: ", shape.ToString());
    return call.Error("item ", place(0), " was never set, and zeros in its place need a known element_shape, which is ", shape.ToString());
  }
  if (shape.rank() >= kMaxRank) return call.Error("items of rank ", shape.rank(), " have the largest rank already");
  Shape out = {count};
  for (int64_t d : shape.dims()) out.push_back(d);
  if (!out.num_elements()) return call.Error("the output ", out.ToString(), " would have more than 2^63 - 1 elements");
  RETURN_IF_ERROR(call.Allocate(0, out, list.dtype()));
  TensorRep& stacked = call.output();
  const int64_t size = count ? stacked.count / count : 0;
  for (int64_t k = 0; k < count; ++k) {
    const Tensor item = list.item(place(k));
    void* to = ElementAt(stacked.data, list.dtype(), k * size);
    if (item.defined()) CopyElements(list.dtype(), item.rep()->data, to, size);
    else ZeroElements(list.dtype(), to, size);
  }
  return absl::OkStatus();
}

namespace {

absl::Status CheckIndices(const KernelCall& call, const TensorList& list, const TensorRep& indices) {
  for (int64_t k = 0; k < indices.count; ++k) RETURN_IF_ERROR(CheckIndex(call, list, indices.as<int32_t>()[k], absl::StrCat("indices[", k, "]")));
  return absl::OkStatus();
}

absl::Status Stack(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0, call.attr<DType>("element_dtype")));
  const int64_t n = call.attr<int64_t>("num_elements");
  if (n >= 0 && n != list->size()) return call.Error("num_elements is ", n, ", the list has ", list->size(), list->size() == 1 ? " item" : " items");
  return StackItems(call, *list, list->size(), nullptr, ElementShapeInput(call, 1));
}

absl::Status Gather(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0, call.attr<DType>("element_dtype")));
  RETURN_IF_ERROR(CheckIndices(call, *list, call.input(1)));
  return StackItems(call, *list, call.input(1).count, call.input(1).as<int32_t>(), ElementShapeInput(call, 2));
}

absl::Status FromTensor(KernelCall& call) {
  const Tensor tensor = call.owned_input(0);
  if (!tensor.defined()) return OutOfMemoryError(call.schema.name(), call.input(0).dtype, call.input(0).dims_span());
  if (tensor.dim(0) > INT32_MAX) return call.Error("more than 2^31 - 1 items: tensor is ", tensor.shape().ToString());
  TensorList list(tensor.dtype(), ElementShapeInput(call, 1));
  for (int64_t i = 0; i < tensor.dim(0); ++i) list = list.PushBack(RowsOf(tensor, i, 1, /*drop_axis=*/true));
  return SetList(call, 0, std::move(list));
}

// Slices of input `tensor_input` as items of the list, which grows to the largest index.
absl::Status ScatterInto(KernelCall& call, TensorList list, int tensor_input, const TensorRep& indices) {
  const Tensor tensor = call.owned_input(tensor_input);
  if (!tensor.defined()) return OutOfMemoryError(call.schema.name(), call.input(tensor_input).dtype, call.input(tensor_input).dims_span());
  const auto* index = indices.as<int32_t>();
  int64_t size = list.size();
  for (int64_t k = 0; k < indices.count; ++k) {
    if (index[k] < 0) return call.Error("indices[", k, "] is ", index[k], ", must not be negative");
    size = std::max(size, int64_t{index[k]} + 1);
  }
  if (size > list.size()) list = list.Resize(size);
  const Shape shape = tensor.shape();
  RETURN_IF_ERROR(CheckItem(call, list, Shape(shape.dims().subspan(1))));
  std::vector<TensorList::Change> changes;
  for (int64_t k = 0; k < indices.count; ++k) changes.push_back({index[k], RowsOf(tensor, k, 1, /*drop_axis=*/true)});
  return SetList(call, 0, list.SetItems(changes));
}

absl::Status Scatter(KernelCall& call) {
  TensorList list(call.input(0).dtype, ElementShapeInput(call, 2));
  const int64_t n = *call.input(3).as<int32_t>();
  if (n >= 0) {
    list = list.Resize(n);
    RETURN_IF_ERROR(CheckIndices(call, list, call.input(1)));
  }
  return ScatterInto(call, std::move(list), 0, call.input(1));
}

absl::Status ScatterIntoExisting(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0, call.input(1).dtype));
  return ScatterInto(call, *list, 1, call.input(2));
}

absl::Status Concat(KernelCall& call) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(call, 0, call.attr<DType>("element_dtype")));
  const TensorRep& leading = call.input(2);
  ASSIGN_OR_RETURN(Shape shape, MergedElementShape(call, *list, ElementShapeInput(call, 1)));
  if (shape.rank() == 0) return call.Error("scalars cannot be concatenated, only stacked");
  if (shape.rank() > 0) shape[0] = kUnknownDim;
  const int64_t n = list->size();
  std::vector<int64_t> lengths(static_cast<size_t>(n), -1);
  int64_t total = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Tensor item = list->item(i);
    int64_t& length = lengths[i];
    if (item.defined()) {
      Shape own = item.shape();
      if (own.rank() == 0) return call.Error("scalars cannot be concatenated, only stacked");
      length = std::exchange(own[0], kUnknownDim);
      auto merged = shape.MergedWith(own);
      if (!merged) return call.Error("item ", i, " is ", item.shape().ToString(), ", the others are ", shape.ToString());
      shape = *std::move(merged);
    } else if (i < leading.count) {
      length = leading.as<int64_t>()[i];
    }
    if (length < 0) return call.Error("item ", i, " was never set, and leading_dims does not say its length");
    if (__builtin_add_overflow(total, length, &total)) return call.Error("the items have more than 2^63 - 1 rows");
  }
  if (!shape.known_rank()) return call.Error("no items, and element_shape is not known");
  shape[0] = total;
  if (!shape.fully_known()) return call.Error("no item tells the shape, and element_shape is not fully known: ", shape.ToString());
  if (!shape.num_elements()) return call.Error("the output ", shape.ToString(), " would have more than 2^63 - 1 elements");
  RETURN_IF_ERROR(call.Allocate(0, shape, list->dtype()));
  RETURN_IF_ERROR(call.Allocate(1, {n}, kInt64));
  std::copy(lengths.begin(), lengths.end(), call.output(1).as<int64_t>());
  const int64_t row = total ? call.output().count / total : 0;
  int64_t at = 0;
  for (int64_t i = 0; i < n; at += row * lengths[i], ++i) {
    const Tensor item = list->item(i);
    void* to = ElementAt(call.output().data, list->dtype(), at);
    if (item.defined()) CopyElements(list->dtype(), item.rep()->data, to, row * lengths[i]);
    else ZeroElements(list->dtype(), to, row * lengths[i]);
  }
  return absl::OkStatus();
}

absl::Status Split(KernelCall& call) {
  const Tensor tensor = call.owned_input(0);
  if (!tensor.defined()) return OutOfMemoryError(call.schema.name(), call.input(0).dtype, call.input(0).dims_span());
  TensorList list(tensor.dtype(), ElementShapeInput(call, 1));
  const TensorRep& lengths = call.input(2);
  if (lengths.count > INT32_MAX) return call.Error("more than 2^31 - 1 items");
  int64_t at = 0;
  for (int64_t i = 0; i < lengths.count; ++i) {
    const int64_t n = lengths.as<int64_t>()[i];
    Tensor piece = RowsOf(tensor, at, n, /*drop_axis=*/false);
    RETURN_IF_ERROR(CheckItem(call, list, piece.shape()));
    list = list.PushBack(std::move(piece));
    at += n;
  }
  return SetList(call, 0, std::move(list));
}

// Of lists in lists: each level takes stack.
constexpr int kMaxDepth = 1000;

// a + b, item by item; an unset item counts as zeros.
absl::StatusOr<TensorList> AddLists(const KernelCall& call, const TensorList& a, const TensorList& b, int depth) {
  if (depth > kMaxDepth) return call.Error("lists nested more than ", kMaxDepth, " deep");
  if (a.dtype() != b.dtype())
    return call.Error("lists of ", std::string(DTypeName(a.dtype())), " and of ", std::string(DTypeName(b.dtype())), " items");
  if (a.size() != b.size()) return call.Error("lists of ", a.size(), " and of ", b.size(), " items");
  RETURN_IF_ERROR(MergedElementShape(call, a, b.element_shape()).status());
  std::vector<TensorList::Change> changes;
  for (int64_t i = 0, next; i < b.size(); i = next) {
    if (b.UnsetAround(i, &next)) continue;
    for (; i < next; ++i) {
      const Tensor x = a.item(i), y = b.item(i);
      if (!y.defined()) continue;
      if (!x.defined()) {
        changes.push_back({i, y});
      } else if (x.dtype() == kVariant) {
        ASSIGN_OR_RETURN(const TensorList* u, GetTensorList(*x.rep(), call.schema.name(), "an item"));
        ASSIGN_OR_RETURN(const TensorList* v, GetTensorList(*y.rep(), call.schema.name(), "an item"));
        ASSIGN_OR_RETURN(TensorList inner, AddLists(call, *u, *v, depth + 1));
        changes.push_back({i, MakeListHandle(std::move(inner))});
      } else {
        if (x.shape() != y.shape()) return call.Error("items ", i, " differ: ", x.shape().ToString(), ", ", y.shape().ToString());
        changes.push_back({i, Add(x, y)});
      }
    }
  }
  return changes.empty() ? a : a.SetItems(changes);
}

absl::StatusOr<TensorList> ZerosLikeList(const KernelCall& call, const TensorList& list, int depth) {
  if (depth > kMaxDepth) return call.Error("lists nested more than ", kMaxDepth, " deep");
  std::vector<TensorList::Change> zeros;
  for (int64_t i = 0, next; i < list.size(); i = next) {
    if (list.UnsetAround(i, &next)) continue;
    for (; i < next; ++i) {
      const Tensor item = list.item(i);
      if (!item.defined()) continue;
      if (item.dtype() != kVariant) {
        zeros.push_back({i, ZerosLike(item)});
        continue;
      }
      ASSIGN_OR_RETURN(const TensorList* inner, GetTensorList(*item.rep(), call.schema.name(), "an item"));
      ASSIGN_OR_RETURN(TensorList inner_zeros, ZerosLikeList(call, *inner, depth + 1));
      zeros.push_back({i, MakeListHandle(std::move(inner_zeros))});
    }
  }
  return TensorList(list.dtype(), list.element_shape(), list.max_num_elements()).Resize(list.size()).SetItems(zeros);
}

}  // namespace

absl::Status ZerosLikeVariant(KernelCall& call) {
  ContextScope eager(nullptr);
  for (int64_t i = 0; i < call.input(0).count; ++i) {
    const auto* list = dynamic_cast<const TensorList*>(call.input(0).as<Variant>()[i].get());
    if (!list) return call.Error("x must hold TensorLists");
    ASSIGN_OR_RETURN(TensorList zeros, ZerosLikeList(call, *list, 0));
    call.output().as<Variant>()[i] = std::make_shared<const TensorList>(std::move(zeros));
  }
  return absl::OkStatus();
}

// An empty variant, which an item of a list of lists is before it is set, counts as zeros.
absl::Status AddVariants(KernelCall& call) {
  ContextScope eager(nullptr);
  for (int64_t i = 0; i < call.output().count; ++i) {
    Variant& out = call.output().as<Variant>()[i];
    for (size_t k = 0; k < call.inputs.size(); ++k) {
      const Variant& in = call.input(static_cast<int>(k)).as<Variant>()[i];
      if (!in) continue;
      const auto* list = dynamic_cast<const TensorList*>(in.get());
      if (!list) return call.Error("inputs[", k, "] must hold TensorLists");
      if (!out) {
        out = in;
        continue;
      }
      ASSIGN_OR_RETURN(TensorList sum, AddLists(call, static_cast<const TensorList&>(*out), *list, 0));
      out = std::make_shared<const TensorList>(std::move(sum));
    }
  }
  return absl::OkStatus();
}

void TensorListStackCpu(CpuKernel& k) { k.SetAll(Stack); }
void TensorListGatherCpu(CpuKernel& k) { k.SetAll(Gather); }
void TensorListFromTensorCpu(CpuKernel& k) { k.SetAll(FromTensor); }
void TensorListScatterV2Cpu(CpuKernel& k) { k.SetAll(Scatter); }
void TensorListScatterIntoExistingListCpu(CpuKernel& k) { k.SetAll(ScatterIntoExisting); }
void TensorListConcatV2Cpu(CpuKernel& k) { k.SetAll(Concat); }
void TensorListSplitCpu(CpuKernel& k) { k.SetAll(Split); }

}  // namespace tandem
