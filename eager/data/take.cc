#include <algorithm>
#include <limits>

#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

// Every `step`th element of the input from `first` on, `count` of them: Take, Skip and Shard.
class PartIterator : public ElementIterator {
 public:
  PartIterator(IteratorPtr input, int64_t first, int64_t step, int64_t count) : input_(std::move(input)), gap_(first), step_(step), left_(count) {}

  bool Next(Tensors& out) override {
    if (!Approach()) return false;
    --left_;
    gap_ = step_ - 1;  // also when the next line throws
    if (input_->Next(out)) return true;
    left_ = 0;
    return false;
  }
  int64_t Skip(int64_t n) override {
    int64_t done = 0;
    if (step_ == 1) {
      if (!Approach()) return 0;
      done = input_->Skip(std::min(n, left_));
    } else {
      for (; done < n && Approach() && input_->Skip(1) == 1; ++done) gap_ = step_ - 1;
    }
    left_ -= done;
    return done;
  }
  const Tensors* table() const override { return input_->table(); }
  int64_t NextRows(std::span<int64_t> rows) override {
    const int64_t n = std::min<int64_t>(rows.size(), left_);
    int64_t done = 0;
    if (step_ == 1) {
      if (!Approach()) return 0;
      done = input_->NextRows(rows.first(n));
    } else {
      for (; done < n && Approach() && input_->NextRows(rows.subspan(done, 1)) == 1; ++done) gap_ = step_ - 1;
    }
    left_ -= done;
    return done;
  }

 private:
  // Passes over the elements before the next one; false when none is left to give.
  bool Approach() {
    if (left_ == 0) return false;
    if (gap_ > 0) input_->Skip(std::exchange(gap_, 0));
    return true;
  }

  IteratorPtr input_;
  int64_t gap_;
  const int64_t step_;
  int64_t left_;
};

class PartNode : public Node {
 public:
  PartNode(std::string_view name, NodePtr input, int64_t first, int64_t step, int64_t count)
      : Node(name, {std::move(input)}), first_(first), step_(step), count_(count) {}
  IteratorPtr MakeIterator(const PassContext& context) const override {
    return std::make_unique<PartIterator>(input()->MakeIterator(context), first_, step_, count_);
  }
  std::optional<Components> components() const override { return input()->components(); }

 private:
  int64_t first_, step_, count_;
};

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

}  // namespace

NodePtr Take(NodePtr input, int64_t count) {
  CheckAtLeast("Take", "count", count, -1);
  return std::make_shared<PartNode>("Take", std::move(input), 0, 1, count < 0 ? kAll : count);
}
NodePtr Skip(NodePtr input, int64_t count) {
  CheckAtLeast("Skip", "count", count, -1);
  return std::make_shared<PartNode>("Skip", std::move(input), std::max<int64_t>(count, 0), 1, count < 0 ? 0 : kAll);
}
NodePtr Shard(NodePtr input, int64_t num_shards, int64_t index) {
  CheckAtLeast("Shard", "num_shards", num_shards, 1);
  if (index < 0 || index >= num_shards) ThrowError(InvalidArgument("Shard: index is ", index, ", must be in [0, ", num_shards, ")"));
  return std::make_shared<PartNode>("Shard", std::move(input), index, num_shards, kAll);
}

}  // namespace tandem::data::internal
