// A rectangular part of a tensor, as partitioned variables are saved: the text that SaveV2 and RestoreV2 take, and the
// key under which a bundle keeps the part (TensorFlow's core/util/saved_tensor_slice_util.cc, tensor_slice.h).
//
//   ASSIGN_OR_RETURN(auto spec, ParseShapeAndSlice("10 3 0,4:-"));   // rows 0..3 of a [10,3]
//   spec->shape                                                      // [4,3]
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.h"
#include "core/status.h"

namespace tandem {

struct TensorSlice {
  static constexpr int64_t kWhole = -1;
  std::vector<int64_t> start;   // one for each dimension
  std::vector<int64_t> length;  // kWhole: all of the dimension, which starts at 0

  bool whole() const;
  // Lengths inside `full`, kWhole filled in. INVALID_ARGUMENT when a slice is no part of it.
  absl::StatusOr<TensorSlice> Within(const Shape& full) const;
  // "0,4:-".
  std::string ToString() const;
  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;
};

struct ShapeAndSlice {
  Shape full;
  TensorSlice slice;   // as written: a bundle's keys say "-" where the text does
  TensorSlice filled;  // the same with every length filled in
  Shape shape;         // of the slice
};

// Nothing for "", which stands for the tensor as it is. INVALID_ARGUMENT says what is wrong with the text.
absl::StatusOr<std::optional<ShapeAndSlice>> ParseShapeAndSlice(std::string_view text);

// The key of a part of tensor `name`: byte 0, then the name and the slice in an encoding that sorts.
std::string SliceKey(std::string_view name, const TensorSlice& slice);

// The overlap of two slices with their lengths filled in; nothing when it is empty.
std::optional<TensorSlice> Overlap(const TensorSlice& a, const TensorSlice& b);

// Copies the elements of `part` from a tensor that holds the slice `from_slice` to one that holds `to_slice`. part lies in
// both. Elements are size bytes each, or std::string where size is 0.
void CopySlice(const TensorSlice& part, const TensorSlice& from_slice, const void* from, const TensorSlice& to_slice, void* to, size_t size);

}  // namespace tandem
