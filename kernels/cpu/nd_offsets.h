// Coordinates [I..., k] as flat offsets of the slices they name, every component checked.
//
//   NdOffsets offsets;
//   RETURN_IF_ERROR(offsets.Compute(call, indices, "indices", params.dims_span(), "params"));
//   offsets.data()[i] * offsets.slice() …          // where slice i begins; -1: to be passed over
#pragma once
#include "core/kernel.h"
#include "kernels/cpu/scratch.h"

namespace tandem {

class NdOffsets {
 public:
  // INVALID_ARGUMENT names the coordinates, their position and dims; with bad_indices_policy "IGNORE" they are marked.
  absl::Status Compute(const KernelCall& call, const TensorRep& indices, std::string_view name, std::span<const int64_t> dims,
                       std::string_view target);
  const int64_t* data() const { return offsets_.data(); }
  int64_t size() const { return size_; }
  int64_t slice() const { return slice_; }  // elements of one

 private:
  Scratch<int64_t> offsets_;
  int64_t size_ = 0, slice_ = 1;
};

}  // namespace tandem
