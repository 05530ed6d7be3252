// Working memory of one kernel call, from the tensor allocator: a warm call makes no call to the system's.
//
//   Scratch<float> widened;
//   RETURN_IF_ERROR(widened.Reserve(call.schema.name(), n));
//   widened.data()[i] …                                     // 64-byte aligned, uninitialised
#pragma once
#include "core/allocator.h"
#include "core/shape.h"
#include "core/status.h"

namespace tandem {

template <class T>
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  ~Scratch() { Free(); }
  void Free() {
    if (data_) FreeBlock(data_, size_class_);
    data_ = nullptr;
    size_class_ = kNoSizeClass;
  }
  // Once. RESOURCE_EXHAUSTED when the memory cannot be had.
  absl::Status Reserve(std::string_view op, int64_t elements) {
    const auto bytes = CheckedMultiply(elements, sizeof(T));
    if (bytes) size_class_ = SizeClass(static_cast<size_t>(*bytes));
    if (size_class_ != kNoSizeClass) data_ = static_cast<T*>(AllocateBlock(size_class_));
    if (data_) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat(std::string(op), ": needs working memory for ", elements, " elements, more than can be had"));
  }
  T* data() const { return data_; }

 private:
  unsigned size_class_ = kNoSizeClass;
  T* data_ = nullptr;
};

}  // namespace tandem
