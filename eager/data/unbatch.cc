#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

class UnbatchIterator : public ElementIterator {
 public:
  explicit UnbatchIterator(IteratorPtr input) : input_(std::move(input)) {}
  bool Next(Tensors& out) override {
    while (row_ == rows_) {
      rows_ = row_ = 0;
      if (!input_->Next(batch_)) return false;
      const int64_t index = next_++;
      for (size_t c = 0; c < batch_.size(); ++c) {
        if (batch_[c].rank() == 0) ThrowAt("Unbatch", index, "component ", c, " is a scalar, needs rank 1 or more");
        if (batch_[c].dim(0) != batch_[0].dim(0))
          ThrowAt("Unbatch", index, "first dimensions differ: component 0 is ", batch_[0].shape().ToString(), ", component ", c, " is ", batch_[c].shape().ToString());
      }
      rows_ = batch_[0].dim(0);
    }
    out.resize(batch_.size());
    for (size_t c = 0; c < out.size(); ++c) out[c] = Row(batch_[c], row_);
    ++row_;
    return true;
  }

 private:
  IteratorPtr input_;
  Tensors batch_;
  int64_t next_ = 0, row_ = 0, rows_ = 0;
};

class UnbatchNode : public Node {
 public:
  explicit UnbatchNode(NodePtr input) : Node("Unbatch", {std::move(input)}) {}
  IteratorPtr MakeIterator(const PassContext& context) const override { return std::make_unique<UnbatchIterator>(input()->MakeIterator(context)); }
};

}  // namespace

NodePtr Unbatch(NodePtr input) { return std::make_shared<UnbatchNode>(std::move(input)); }

}  // namespace tandem::data::internal
