// Iterators in graphs: what the ops IteratorV2, MakeIterator and IteratorGetNext share with whoever makes datasets.
#pragma once
#include <memory>
#include <mutex>

#include "core/resource.h"
#include "core/status.h"
#include "core/tensor.h"
#include "core/variant.h"

namespace tandem {

// One walk over a dataset.
class ElementSource {
 public:
  virtual ~ElementSource() = default;
  // The next element; false at the end.
  virtual absl::StatusOr<bool> Next(Tensors* element) = 0;
};

// The element of a dataset's variant tensor.
class DatasetVariant : public VariantValue {
 public:
  std::string_view type_name() const override { return "tandem::Dataset"; }
  virtual absl::StatusOr<std::unique_ptr<ElementSource>> MakeIterator() const = 0;
};

// Threads: calls of Next follow each other.
class IteratorResource : public ResourceBase {
 public:
  std::string_view kind() const override { return "iterator"; }
  void Start(std::unique_ptr<ElementSource> source) {
    std::lock_guard lock(mutex_);
    source_ = std::move(source);
  }
  // FAILED_PRECONDITION before Start, OUT_OF_RANGE at the end.
  absl::Status Next(Tensors* element) {
    std::lock_guard lock(mutex_);
    if (!source_) return absl::FailedPreconditionError("the iterator was not initialized: run its initializer first");
    ASSIGN_OR_RETURN(const bool more, source_->Next(element));
    return more ? absl::OkStatus() : absl::OutOfRangeError("end of sequence");
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<ElementSource> source_;
};

}  // namespace tandem
