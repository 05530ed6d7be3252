#include <algorithm>

#include "core/device_memory.h"
#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

class SliceIterator : public ElementIterator {
 public:
  explicit SliceIterator(const Tensors& tensors) : tensors_(tensors), count_(tensors[0].dim(0)) {}
  bool Next(Tensors& out) override {
    if (next_ == count_) return false;
    out.resize(tensors_.size());
    for (size_t c = 0; c < out.size(); ++c) out[c] = Row(tensors_[c], next_);
    ++next_;
    return true;
  }
  int64_t Skip(int64_t n) override {
    n = std::min(n, count_ - next_);
    next_ += n;
    return n;
  }
  const Tensors* table() const override { return &tensors_; }
  int64_t NextRows(std::span<int64_t> rows) override {
    const int64_t n = std::min<int64_t>(rows.size(), count_ - next_);
    for (int64_t i = 0; i < n; ++i) rows[i] = next_ + i;
    next_ += n;
    return n;
  }

 private:
  const Tensors tensors_;
  const int64_t count_;
  int64_t next_ = 0;
};

class TensorSlicesNode : public Node {
 public:
  explicit TensorSlicesNode(Tensors tensors) : Node("FromTensorSlices", {}), tensors_(std::move(tensors)) {
    for (size_t c = 0; c < tensors_.size(); ++c) {
      CheckValue(name(), tensors_[c]);
      const Tensor& t = tensors_[c] = OnHost(tensors_[c]);
      if (t.rank() == 0) ThrowError(InvalidArgument(name(), ": component ", c, " is a scalar, needs rank 1 or more"));
      if (t.dim(0) != tensors_[0].dim(0))
        ThrowError(InvalidArgument(name(), ": first dimensions differ: component 0 is ", tensors_[0].shape().ToString(), ", component ", c, " is ", t.shape().ToString()));
    }
  }
  IteratorPtr MakeIterator(const PassContext&) const override { return std::make_unique<SliceIterator>(tensors_); }
  std::optional<Components> components() const override {
    Components all;
    for (const Tensor& t : tensors_) all.push_back({t.dtype(), Shape(t.rep()->dims_span().subspan(1))});
    return all;
  }

 private:
  Tensors tensors_;
};

class OneElementIterator : public ElementIterator {
 public:
  explicit OneElementIterator(const Tensors& element) : element_(element) {}
  bool Next(Tensors& out) override {
    if (given_) return false;
    given_ = true;
    out = element_;
    return true;
  }

 private:
  const Tensors element_;
  bool given_ = false;
};

class OneElementNode : public Node {
 public:
  explicit OneElementNode(Tensors element) : Node("FromTensors", {}), element_(std::move(element)) {
    for (const Tensor& t : element_) CheckValue(name(), t);
  }
  IteratorPtr MakeIterator(const PassContext&) const override { return std::make_unique<OneElementIterator>(element_); }
  std::optional<Components> components() const override {
    Components all;
    for (const Tensor& t : element_) all.push_back({t.dtype(), t.shape()});
    return all;
  }

 private:
  Tensors element_;
};

}  // namespace

NodePtr TensorSlices(Tensors tensors) { return std::make_shared<TensorSlicesNode>(std::move(tensors)); }
NodePtr OneElement(Tensors tensors) { return std::make_shared<OneElementNode>(std::move(tensors)); }

}  // namespace tandem::data::internal
