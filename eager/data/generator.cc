#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

class GeneratorIterator : public ElementIterator {
 public:
  explicit GeneratorIterator(const Generator& generator) : generator_(generator) {}
  bool Next(Tensors& out) override {
    if (ended_) return false;
    ended_ = true;  // also when it throws
    return AtElement("FromGenerator", next_, [&] {
      if (!generator_(out)) return false;
      for (const Tensor& t : out) CheckValue("FromGenerator", t);
      ++next_;
      ended_ = false;
      return true;
    });
  }

 private:
  Generator generator_;
  int64_t next_ = 0;
  bool ended_ = false;
};

class GeneratorNode : public Node {
 public:
  explicit GeneratorNode(Generator generator) : Node("FromGenerator", {}), generator_(std::move(generator)) {}
  IteratorPtr MakeIterator(const PassContext&) const override { return std::make_unique<GeneratorIterator>(generator_); }

 private:
  Generator generator_;
};

}  // namespace

NodePtr FromGenerator(Generator generator) { return std::make_shared<GeneratorNode>(std::move(generator)); }

}  // namespace tandem::data::internal
