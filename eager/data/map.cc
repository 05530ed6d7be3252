#include "eager/data/map.h"

#include "eager/data/node.h"

namespace tandem::data::internal {
namespace {

class MapIterator : public ElementIterator {
 public:
  MapIterator(IteratorPtr input, const Function& function) : input_(std::move(input)), function_(function) {}
  bool Next(Tensors& out) override {
    const int64_t index = next_;
    if (!input_->Next(in_)) return false;
    ++next_;
    AtElement("Map", index, [&] { function_(in_, out); });
    return true;
  }
  int64_t Skip(int64_t n) override {
    n = input_->Skip(n);
    next_ += n;
    return n;
  }

 private:
  IteratorPtr input_;
  const Function& function_;
  Tensors in_;
  int64_t next_ = 0;
};

class MapNode : public Node {
 public:
  MapNode(NodePtr input, Function function, MapOptions options)
      : Node("Map", {std::move(input)}), function_(std::move(function)), calls_(NumCalls("Map", options.num_parallel_calls)), deterministic_(options.deterministic) {}
  IteratorPtr MakeIterator(const PassContext& context) const override {
    IteratorPtr in = input()->MakeIterator(context);
    if (calls_ == 1) return std::make_unique<MapIterator>(std::move(in), function_);
    return ParallelMap(std::move(in), function_, calls_, deterministic_);
  }

 private:
  Function function_;
  int calls_;
  bool deterministic_;
};

}  // namespace

NodePtr Map(NodePtr input, Function function, MapOptions options) {
  return std::make_shared<MapNode>(std::move(input), std::move(function), options);
}

}  // namespace tandem::data::internal
