#include <algorithm>
#include <mutex>

#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

using Kept = std::shared_ptr<const std::vector<Tensors>>;

// The elements of the first complete pass.
struct Memory {
  std::mutex mutex;
  Kept kept;
};

class ReplayIterator : public ElementIterator {
 public:
  explicit ReplayIterator(Kept kept) : kept_(std::move(kept)) {}
  bool Next(Tensors& out) override {
    if (next_ == kept_->size()) return false;
    out = (*kept_)[next_++];
    return true;
  }
  int64_t Skip(int64_t n) override {
    const size_t some = std::min<size_t>(n, kept_->size() - next_);
    next_ += some;
    return static_cast<int64_t>(some);
  }

 private:
  const Kept kept_;
  size_t next_ = 0;
};

class RecordIterator : public ElementIterator {
 public:
  RecordIterator(IteratorPtr input, std::shared_ptr<Memory> memory) : input_(std::move(input)), memory_(std::move(memory)) {}
  bool Next(Tensors& out) override {
    struct Failure {  // a pass with an element that failed is not kept
      bool& whole;
      bool armed = true;
      ~Failure() { whole &= !armed; }
    } failure{whole_};
    const bool more = input_->Next(out);
    failure.armed = false;
    if (more) {
      if (whole_) seen_.push_back(out);
    } else if (whole_) {
      whole_ = false;
      std::lock_guard lock(memory_->mutex);
      if (!memory_->kept) memory_->kept = std::make_shared<const std::vector<Tensors>>(std::move(seen_));
    }
    return more;
  }

 private:
  IteratorPtr input_;
  std::shared_ptr<Memory> memory_;
  std::vector<Tensors> seen_;
  bool whole_ = true;
};

class CacheNode : public Node {
 public:
  explicit CacheNode(NodePtr input) : Node("Cache", {std::move(input)}) {}
  IteratorPtr MakeIterator(const PassContext& context) const override {
    {
      std::lock_guard lock(memory_->mutex);
      if (memory_->kept) return std::make_unique<ReplayIterator>(memory_->kept);
    }
    return std::make_unique<RecordIterator>(input()->MakeIterator(context), memory_);
  }
  std::optional<Components> components() const override { return input()->components(); }

 private:
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
};

}  // namespace

NodePtr Cache(NodePtr input) { return std::make_shared<CacheNode>(std::move(input)); }

}  // namespace tandem::data::internal
