// TensorList: a value that holds a list of tensors of one dtype, the element of a variant tensor.
//
//   TensorList list(kFloat32, Shape{2});
//   list = list.PushBack(x);                   // a new value; the old one is what it was
//   Tensor handle = MakeListHandle(list);      // variant scalar
//   ASSIGN_OR_RETURN(const TensorList* l, GetTensorList(*handle.rep(), "TensorListLength", "input_handle"));
//
// Lists share their items. Appending to a list that nobody has appended to yet writes behind its end, in place, as Go's
// slices do: amortised O(1), whoever else holds the list. Any other change copies pointers to blocks of 64 items, and
// one block. A list of a million unset items takes no memory.
//
// Threads: values as shared_ptr. Lists of lists of any depth are freed without recursion.
#pragma once
#include <memory>
#include <span>

#include "core/shape.h"
#include "core/status.h"
#include "core/tensor.h"
#include "core/variant.h"

namespace tandem {

class TensorList final : public VariantValue {
 public:
  // element_shape: what every item's shape is compatible with. max_num_elements: -1 for no limit.
  explicit TensorList(DType dtype, Shape element_shape = Shape::Unknown(), int64_t max_num_elements = -1)
      : dtype_(dtype), max_num_elements_(max_num_elements), element_shape_(std::move(element_shape)) {}

  std::string_view type_name() const override { return "tensorflow::TensorList"; }
  DType dtype() const { return dtype_; }
  const Shape& element_shape() const { return element_shape_; }
  int64_t max_num_elements() const { return max_num_elements_; }
  int64_t size() const { return size_; }

  // 0 <= i < size(). Undefined where none was set.
  Tensor item(int64_t i) const;
  // The callers have checked item and index.
  TensorList PushBack(Tensor item) const;
  TensorList PopBack() const;
  struct Change {
    int64_t index;
    Tensor item;
  };
  TensorList SetItems(std::span<Change> changes) const;  // moves the items out
  TensorList SetItem(int64_t i, Tensor item) const;
  // Cut, or continued with unset items.
  TensorList Resize(int64_t size) const;
  // Whether no item of the block around i is set. *next: the index behind the block.
  bool UnsetAround(int64_t i, int64_t* next) const;

 private:
  struct Block;
  struct Store;
  std::shared_ptr<Store> Fork(int64_t size) const;

  DType dtype_;
  int64_t max_num_elements_, size_ = 0;
  Shape element_shape_;
  std::shared_ptr<Store> store_;  // null while nothing was set
};

// A variant scalar that holds the list. RESOURCE_EXHAUSTED is thrown as bad_alloc.
Tensor MakeListHandle(TensorList list);
// The list in a scalar variant; INVALID_ARGUMENT "OP: input_handle must be a TensorList, the variant holds …".
absl::StatusOr<const TensorList*> GetTensorList(const TensorRep& handle, std::string_view op, std::string_view argument);

}  // namespace tandem
