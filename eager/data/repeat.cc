#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

class RepeatIterator : public ElementIterator {
 public:
  RepeatIterator(const Node& input, int64_t count, PassContext context) : node_(input), count_(count), context_(std::move(context)) {
    if (count_ == 0) return;
    input_ = node_.MakeIterator(context_);
    if (const Tensors* table = input_->table()) table_ = *table;
  }

  bool Next(Tensors& out) override {
    while (input_) {
      if (input_->Next(out)) {
        any_ = true;
        return true;
      }
      NextPass();
    }
    return false;
  }
  int64_t Skip(int64_t n) override {
    int64_t done = 0;
    while (input_ && done < n) {
      const int64_t part = input_->Skip(n - done);
      any_ |= part > 0;
      done += part;
      if (done < n) NextPass();
    }
    return done;
  }
  const Tensors* table() const override { return table_ ? &*table_ : nullptr; }
  int64_t NextRows(std::span<int64_t> rows) override {
    int64_t done = 0;
    while (input_ && done < static_cast<int64_t>(rows.size())) {
      const int64_t part = input_->NextRows(rows.subspan(done));
      any_ |= part > 0;
      done += part;
      if (done < static_cast<int64_t>(rows.size())) NextPass();
    }
    return done;
  }

 private:
  void NextPass() {
    ++pass_;
    const bool last = pass_ == count_ || !any_;  // a pass without an element would repeat for ever
    any_ = false;
    input_.reset();
    if (last) return;
    PassContext context = context_;
    context.pass = SplitMix64::Mix(context_.pass + static_cast<uint64_t>(pass_));
    input_ = node_.MakeIterator(context);
  }

  const Node& node_;
  const int64_t count_;
  const PassContext context_;
  IteratorPtr input_;
  std::optional<Tensors> table_;  // every pass has the first one's
  int64_t pass_ = 0;
  bool any_ = false;
};

class RepeatNode : public Node {
 public:
  RepeatNode(NodePtr input, int64_t count) : Node("Repeat", {std::move(input)}), count_(count) { CheckAtLeast(name(), "count", count, -1); }
  IteratorPtr MakeIterator(const PassContext& context) const override { return std::make_unique<RepeatIterator>(*input(), count_, context); }
  std::optional<Components> components() const override { return input()->components(); }

 private:
  int64_t count_;
};

}  // namespace

NodePtr Repeat(NodePtr input, int64_t count) { return std::make_shared<RepeatNode>(std::move(input), count); }

}  // namespace tandem::data::internal
