#include "eager/data/node.h"
#include "eager/data/prefetch.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

// A cycle of open datasets, read in turn; FlatMap is a cycle of one.
class InterleaveIterator : public ElementIterator {
 public:
  InterleaveIterator(IteratorPtr input, const std::string& name, const DatasetFunction& function, const InterleaveOptions& options, PassContext context)
      : input_(std::move(input)), name_(name), function_(function), options_(options), context_(std::move(context)),
        cycle_(static_cast<size_t>(options.cycle_length)) {}

  bool Next(Tensors& out) override {
    if (block_ >= options_.block_length) Advance();
    while (true) {
      Open& open = cycle_[at_];
      if (open.iterator) {
        ++block_;  // what throws has had its turn too
        if (open.iterator->Next(out)) return true;
        open.Close();
        --opened_;
        Advance();
      } else if (input_ended_ || !Fill(open)) {
        if (opened_ == 0) return false;
        Advance();
      }
    }
  }

 private:
  struct Open {
    NodePtr node;  // keeps what its iterator refers to
    IteratorPtr iterator;
    void Close() {
      iterator.reset();
      node.reset();
    }
  };

  void Advance() {
    at_ = (at_ + 1) % cycle_.size();
    block_ = 0;
  }

  // Opens the next dataset; false when there is none.
  bool Fill(Open& open) {
    const int64_t index = next_;
    if (!input_->Next(in_)) {
      input_ended_ = true;
      return false;
    }
    ++next_;
    AtElement(name_, index, [&] { open.node = function_(in_); });
    open.iterator = open.node->MakeIterator(context_);
    if (options_.num_parallel_calls > 1) open.iterator = PrefetchIterator(std::move(open.iterator), 2 * options_.block_length);
    ++opened_;
    return true;
  }

  IteratorPtr input_;
  const std::string& name_;
  const DatasetFunction& function_;
  const InterleaveOptions& options_;
  const PassContext context_;
  std::vector<Open> cycle_;
  size_t at_ = 0;
  int64_t block_ = 0, next_ = 0, opened_ = 0;
  bool input_ended_ = false;
  Tensors in_;
};

class InterleaveNode : public Node {
 public:
  InterleaveNode(NodePtr input, std::string_view name, DatasetFunction function, InterleaveOptions options)
      : Node(name, {std::move(input)}), function_(std::move(function)), options_(options) {
    CheckAtLeast(name, "cycle_length", options_.cycle_length, 1);
    CheckAtLeast(name, "block_length", options_.block_length, 1);
    options_.num_parallel_calls = NumCalls(name, options_.num_parallel_calls);
  }
  IteratorPtr MakeIterator(const PassContext& context) const override {
    return std::make_unique<InterleaveIterator>(input()->MakeIterator(context), name(), function_, options_, context);
  }

 private:
  DatasetFunction function_;
  InterleaveOptions options_;
};

}  // namespace

NodePtr Interleave(NodePtr input, std::string_view name, DatasetFunction function, InterleaveOptions options) {
  return std::make_shared<InterleaveNode>(std::move(input), name, std::move(function), options);
}

}  // namespace tandem::data::internal
