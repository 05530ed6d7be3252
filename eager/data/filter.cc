#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

class FilterIterator : public ElementIterator {
 public:
  FilterIterator(IteratorPtr input, const Predicate& predicate) : input_(std::move(input)), predicate_(predicate) {}
  bool Next(Tensors& out) override {
    while (input_->Next(out)) {
      in_ = out;  // the predicate may move from what it is given
      if (AtElement("Filter", next_++, [&] { return predicate_(in_); })) return true;
    }
    return false;
  }

 private:
  IteratorPtr input_;
  const Predicate& predicate_;
  Tensors in_;
  int64_t next_ = 0;
};

class FilterNode : public Node {
 public:
  FilterNode(NodePtr input, Predicate predicate) : Node("Filter", {std::move(input)}), predicate_(std::move(predicate)) {}
  IteratorPtr MakeIterator(const PassContext& context) const override {
    return std::make_unique<FilterIterator>(input()->MakeIterator(context), predicate_);
  }
  std::optional<Components> components() const override { return input()->components(); }

 private:
  Predicate predicate_;
};

}  // namespace

NodePtr Filter(NodePtr input, Predicate predicate) { return std::make_shared<FilterNode>(std::move(input), std::move(predicate)); }

}  // namespace tandem::data::internal
