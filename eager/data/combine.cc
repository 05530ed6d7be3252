// Datasets side by side, one behind the other, and numbered.
#include <algorithm>
#include <exception>

#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

class ZipIterator : public ElementIterator {
 public:
  explicit ZipIterator(std::vector<IteratorPtr> inputs) : inputs_(std::move(inputs)) {}
  bool Next(Tensors& out) override {
    if (ended_) return false;
    out.clear();
    std::exception_ptr error;
    // All inputs move on, whichever of them throws: they stay in step.
    for (const IteratorPtr& input : inputs_) {
      try {
        if (!input->Next(part_)) ended_ = true;
        else for (Tensor& t : part_) out.push_back(std::move(t));
      } catch (...) {
        if (!error) error = std::current_exception();
      }
      if (ended_) return false;
    }
    if (error) std::rethrow_exception(error);
    return true;
  }
  int64_t Skip(int64_t n) override {
    for (const IteratorPtr& input : inputs_) n = std::min(n, input->Skip(n));
    return n;
  }

 private:
  std::vector<IteratorPtr> inputs_;
  Tensors part_;
  bool ended_ = false;
};

std::optional<Components> Join(const std::vector<NodePtr>& inputs) {
  Components all;
  for (const NodePtr& input : inputs) {
    const auto part = input->components();
    if (!part) return std::nullopt;
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

class ZipNode : public Node {
 public:
  explicit ZipNode(std::vector<NodePtr> inputs) : Node("Zip", std::move(inputs)) {}
  IteratorPtr MakeIterator(const PassContext& context) const override {
    std::vector<IteratorPtr> iterators;
    for (const NodePtr& input : inputs()) iterators.push_back(input->MakeIterator(context));
    return std::make_unique<ZipIterator>(std::move(iterators));
  }
  std::optional<Components> components() const override { return Join(inputs()); }
};

class ConcatenateIterator : public ElementIterator {
 public:
  ConcatenateIterator(const Node& node, PassContext context) : node_(node), context_(std::move(context)) { Open(); }
  bool Next(Tensors& out) override {
    for (; input_; Open())
      if (input_->Next(out)) return true;
    return false;
  }
  int64_t Skip(int64_t n) override {
    int64_t done = 0;
    while (input_ && done < n)
      if ((done += input_->Skip(n - done)) < n) Open();
    return done;
  }

 private:
  void Open() {
    input_.reset();
    if (at_ < node_.inputs().size()) input_ = node_.inputs()[at_++]->MakeIterator(context_);
  }
  const Node& node_;
  const PassContext context_;
  IteratorPtr input_;
  size_t at_ = 0;
};

class ConcatenateNode : public Node {
 public:
  ConcatenateNode(NodePtr first, NodePtr second) : Node("Concatenate", {std::move(first), std::move(second)}) {}
  IteratorPtr MakeIterator(const PassContext& context) const override { return std::make_unique<ConcatenateIterator>(*this, context); }
  std::optional<Components> components() const override {
    auto a = inputs()[0]->components();
    const auto b = inputs()[1]->components();
    if (!a || !b || a->size() != b->size()) return std::nullopt;
    for (size_t c = 0; c < a->size(); ++c) {
      if ((*a)[c].dtype != (*b)[c].dtype) return std::nullopt;
      if (!((*a)[c].shape == (*b)[c].shape)) (*a)[c].shape = Shape::Unknown();
    }
    return a;
  }
};

class EnumerateIterator : public ElementIterator {
 public:
  EnumerateIterator(IteratorPtr input, int64_t start) : input_(std::move(input)), next_(start) {}
  bool Next(Tensors& out) override {
    const int64_t number = next_;
    ++next_;  // also of an element that throws
    if (!input_->Next(part_)) return false;
    out.resize(part_.size() + 1);
    out[0] = number;
    for (size_t c = 0; c < part_.size(); ++c) out[c + 1] = std::move(part_[c]);
    return true;
  }
  int64_t Skip(int64_t n) override {
    n = input_->Skip(n);
    next_ += n;
    return n;
  }

 private:
  IteratorPtr input_;
  int64_t next_;
  Tensors part_;
};

class EnumerateNode : public Node {
 public:
  EnumerateNode(NodePtr input, int64_t start) : Node("Enumerate", {std::move(input)}), start_(start) {}
  IteratorPtr MakeIterator(const PassContext& context) const override { return std::make_unique<EnumerateIterator>(input()->MakeIterator(context), start_); }
  std::optional<Components> components() const override {
    auto all = input()->components();
    if (all) all->insert(all->begin(), {kInt64, {}});
    return all;
  }

 private:
  int64_t start_;
};

}  // namespace

NodePtr Zip(std::vector<NodePtr> inputs) { return std::make_shared<ZipNode>(std::move(inputs)); }
NodePtr Concatenate(NodePtr first, NodePtr second) { return std::make_shared<ConcatenateNode>(std::move(first), std::move(second)); }
NodePtr Enumerate(NodePtr input, int64_t start) { return std::make_shared<EnumerateNode>(std::move(input), start); }

}  // namespace tandem::data::internal
