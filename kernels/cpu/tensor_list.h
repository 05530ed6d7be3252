// What kernels on lists share.
#pragma once
#include "core/kernel.h"
#include "core/tensor_list.h"

namespace tandem {

// Input i's list. INVALID_ARGUMENT unless it holds items of this dtype (kInvalid: of any).
absl::StatusOr<const TensorList*> ListInput(const KernelCall& call, int i, DType dtype = DType::kInvalid);
// Output i is this list.
absl::Status SetList(KernelCall& call, int i, TensorList list);
// The shape that input i spells, as inference checked it.
Shape ElementShapeInput(const KernelCall& call, int i);
// What the list's element_shape and another say together. INVALID_ARGUMENT when they contradict.
absl::StatusOr<Shape> MergedElementShape(const KernelCall& call, const TensorList& list, const Shape& shape);
// INVALID_ARGUMENT unless an item of this shape fits.
absl::Status CheckItem(const KernelCall& call, const TensorList& list, const Shape& item);
// INVALID_ARGUMENT unless 0 <= index < list.size().
absl::Status CheckIndex(const KernelCall& call, const TensorList& list, int64_t index, std::string_view name);
// Item i; zeros of `shape` where none was set, INVALID_ARGUMENT when that is not known.
absl::StatusOr<Tensor> ItemOrZeros(const KernelCall& call, const TensorList& list, int64_t i, const Shape& shape);

// Items first, first + 1, … of count, as one tensor [count] + item shape: their common shape, or the one given, which is
// the shape of unset items. index: the item at each place; null for the place itself.
absl::Status StackItems(KernelCall& call, const TensorList& list, int64_t count, const int32_t* index, const Shape& element_shape);
// Slices [begin, begin + n) of a tensor along its first axis, sharing its buffer; drop_axis: slice begin, without it.
Tensor RowsOf(const Tensor& tensor, int64_t begin, int64_t n, bool drop_axis);

// Kernels of ZerosLike and AddN for variants.
absl::Status ZerosLikeVariant(KernelCall& call);
absl::Status AddVariants(KernelCall& call);

}  // namespace tandem
