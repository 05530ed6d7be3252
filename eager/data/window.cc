#include <algorithm>
#include <deque>

#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

class WindowIterator : public ElementIterator {
 public:
  WindowIterator(IteratorPtr input, int64_t size, const WindowOptions& options) : input_(std::move(input)), size_(size), options_(options) {}
  bool Next(Tensors& out) override {
    const int64_t span = (size_ - 1) * options_.stride + 1;
    if (behind_ > 0) input_->Skip(std::exchange(behind_, 0));
    Tensors element;
    while (static_cast<int64_t>(held_.size()) < span && input_->Next(element)) held_.push_back(std::move(element));
    const int64_t there = static_cast<int64_t>(held_.size());
    if (there == 0 || (options_.drop_remainder && there < span)) return false;
    std::vector<Tensors> window;
    for (int64_t i = 0; i < there; i += options_.stride) window.push_back(held_[i]);
    const int64_t first = first_, drop = std::min(options_.shift, there);
    first_ += options_.shift;
    held_.erase(held_.begin(), held_.begin() + drop);
    behind_ = options_.shift - drop;
    out = Stack("Window", first, window);
    return true;
  }

 private:
  IteratorPtr input_;
  const int64_t size_;
  const WindowOptions& options_;
  std::deque<Tensors> held_;
  int64_t first_ = 0;
  int64_t behind_ = 0;  // elements between two windows, to pass over
};

class WindowNode : public Node {
 public:
  WindowNode(NodePtr input, int64_t size, WindowOptions options) : Node("Window", {std::move(input)}), size_(size), options_(options) {
    CheckAtLeast(name(), "size", size, 1);
    CheckAtLeast(name(), "shift", options_.shift, 0);
    CheckAtLeast(name(), "stride", options_.stride, 1);
    if (size_ - 1 > (int64_t{1} << 62) / options_.stride) ThrowError(InvalidArgument("Window: size ", size_, " times stride ", options_.stride, " is too large"));
    if (options_.shift == 0) options_.shift = size_;
  }
  IteratorPtr MakeIterator(const PassContext& context) const override {
    return std::make_unique<WindowIterator>(input()->MakeIterator(context), size_, options_);
  }

 private:
  int64_t size_;
  WindowOptions options_;
};

}  // namespace

NodePtr Window(NodePtr input, int64_t size, WindowOptions options) { return std::make_shared<WindowNode>(std::move(input), size, options); }

}  // namespace tandem::data::internal
