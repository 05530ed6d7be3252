#include <algorithm>

#include "core/ops/gather.h"
#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

// A batch of table rows: a view where they follow each other, else one gather a tensor.
class RowBatchIterator : public ElementIterator {
 public:
  RowBatchIterator(IteratorPtr input, int64_t size, bool drop) : input_(std::move(input)), size_(size), drop_(drop) {}
  bool Next(Tensors& out) override {
    int64_t n = 0;
    while (n < size_) {  // a batch_size may be said to be far larger than the input is
      const int64_t part = std::min<int64_t>(size_ - n, std::max<int64_t>(n, 1024));
      rows_.resize(n + part);
      const int64_t got = input_->NextRows(std::span(rows_).subspan(n));
      n += got;
      if (got < part) break;
    }
    rows_.resize(n);
    if (n == 0 || (drop_ && n < size_)) return false;
    const Tensors& table = *input_->table();
    out.resize(table.size());
    const bool follow = std::adjacent_find(rows_.begin(), rows_.end(), [](int64_t a, int64_t b) { return b != a + 1; }) == rows_.end();
    if (follow) {
      for (size_t c = 0; c < out.size(); ++c) out[c] = Rows(table[c], rows_[0], rows_[0] + n);
    } else {
      const Tensor rows = rows_;
      for (size_t c = 0; c < out.size(); ++c) out[c] = Gather(table[c], rows);
    }
    return true;
  }
  int64_t Skip(int64_t n) override {
    if (n > kMost / size_) return ElementIterator::Skip(n);
    const int64_t rows = input_->Skip(n * size_);
    return drop_ ? rows / size_ : (rows + size_ - 1) / size_;
  }

 private:
  static constexpr int64_t kMost = int64_t{1} << 62;
  IteratorPtr input_;
  const int64_t size_;
  const bool drop_;
  std::vector<int64_t> rows_;
};

class BatchIterator : public ElementIterator {
 public:
  BatchIterator(IteratorPtr input, int64_t size, bool drop) : input_(std::move(input)), size_(size), drop_(drop) {}
  bool Next(Tensors& out) override {
    // What was taken before the input threw is still here.
    while (count_ < size_) {
      if (count_ == static_cast<int64_t>(elements_.size())) elements_.emplace_back();
      if (!input_->Next(elements_[count_])) break;
      ++count_;
    }
    const int64_t n = std::exchange(count_, 0);
    if (n == 0 || (drop_ && n < size_)) return false;
    const int64_t first = first_;
    first_ += n;
    out = Stack("Batch", first, std::span(elements_).first(n));
    for (int64_t i = 0; i < n; ++i) elements_[i].clear();
    return true;
  }

 private:
  IteratorPtr input_;
  const int64_t size_;
  const bool drop_;
  std::vector<Tensors> elements_;
  int64_t count_ = 0, first_ = 0;
};

class BatchNode : public Node {
 public:
  BatchNode(NodePtr input, int64_t size, BatchOptions options) : Node("Batch", {std::move(input)}), size_(size), drop_(options.drop_remainder) {
    CheckAtLeast(name(), "batch_size", size, 1);
  }
  IteratorPtr MakeIterator(const PassContext& context) const override {
    IteratorPtr in = input()->MakeIterator(context);
    if (in->table()) return std::make_unique<RowBatchIterator>(std::move(in), size_, drop_);
    return std::make_unique<BatchIterator>(std::move(in), size_, drop_);
  }
  std::optional<Components> components() const override {
    auto all = input()->components();
    if (!all) return all;
    for (Component& c : *all) {
      if (!c.shape.known_rank()) continue;
      Shape shape = {drop_ ? size_ : kUnknownDim};
      for (const int64_t d : c.shape) shape.push_back(d);
      c.shape = shape;
    }
    return all;
  }

 private:
  int64_t size_;
  bool drop_;
};

}  // namespace

NodePtr Batch(NodePtr input, int64_t batch_size, BatchOptions options) {
  return std::make_shared<BatchNode>(std::move(input), batch_size, options);
}

}  // namespace tandem::data::internal
