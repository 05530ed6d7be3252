#include <algorithm>

#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

class RangeIterator : public ElementIterator {
 public:
  RangeIterator(int64_t start, int64_t step, uint64_t count) : start_(start), step_(step), count_(count) {}
  bool Next(Tensors& out) override {
    if (next_ == count_) return false;
    out.resize(1);
    out[0] = NewTensor("Range", kInt64, {});
    // In unsigned arithmetic: the product may be past 2^63 while the sum is not.
    *out[0].rep()->as<int64_t>() = static_cast<int64_t>(static_cast<uint64_t>(start_) + next_ * static_cast<uint64_t>(step_));
    ++next_;
    return true;
  }
  int64_t Skip(int64_t n) override {
    const uint64_t some = std::min<uint64_t>(n, count_ - next_);
    next_ += some;
    return static_cast<int64_t>(some);
  }

 private:
  const int64_t start_, step_;
  const uint64_t count_;
  uint64_t next_ = 0;
};

class RangeNode : public Node {
 public:
  RangeNode(int64_t start, int64_t stop, int64_t step) : Node("Range", {}), start_(start), step_(step) {
    if (step == 0) ThrowError(InvalidArgument("Range: step is 0"));
    const uint64_t width = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
    const uint64_t distance = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start) : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
    if (step > 0 ? start < stop : start > stop) count_ = (distance - 1) / width + 1;
  }
  IteratorPtr MakeIterator(const PassContext&) const override { return std::make_unique<RangeIterator>(start_, step_, count_); }
  std::optional<Components> components() const override { return Components{{kInt64, {}}}; }

 private:
  int64_t start_, step_;
  uint64_t count_ = 0;
};

}  // namespace

NodePtr Range(int64_t start, int64_t stop, int64_t step) { return std::make_shared<RangeNode>(start, stop, step); }

}  // namespace tandem::data::internal
