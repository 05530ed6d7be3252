#include <unordered_set>

#include "core/context.h"
#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

constexpr int64_t kFormat = 1;

// The shuffles of a pipeline, each once, inputs first: the same order in every process.
std::vector<const Node*> Shuffles(const Node& node) {
  std::vector<const Node*> shuffles;
  std::unordered_set<const Node*> seen = {&node};
  std::vector<std::pair<const Node*, size_t>> stack = {{&node, 0}};
  while (!stack.empty()) {
    auto& [at, next] = stack.back();
    if (next < at->inputs().size()) {
      const Node* input = at->inputs()[next++].get();
      if (seen.insert(input).second) stack.emplace_back(input, 0);
    } else {
      if (at->seed()) shuffles.push_back(at);
      stack.pop_back();
    }
  }
  return shuffles;
}

class PipelineCursor : public Cursor {
 public:
  PipelineCursor(NodePtr node, std::optional<int64_t> generation) : node_(std::move(node)), shuffles_(Shuffles(*node_)) {
    context_.generation = generation ? *generation : node_->BeginIteration();
  }

  bool Next(Tensors& out) override {
    ContextScope eager(nullptr);  // functions run eagerly, on no tape, whoever asks for the element
    if (!iterator_) Start(0);
    struct Count {  // an element that threw counts too
      int64_t& position;
      bool ended = false;
      ~Count() { position += !ended; }
    } count{position_};
    const bool more = iterator_->Next(out);
    count.ended = !more;
    return more;
  }

  Tensor Save() const override {
    std::vector<int64_t> state = {kFormat, context_.generation, position_};
    for (const Node* shuffle : shuffles_) state.push_back(context_.seeds ? context_.seeds->at(shuffle) : *shuffle->seed());
    return state;
  }

  void Restore(const Tensor& state) override {
    CheckValue("Iterator", state);
    const bool fits = state.dtype() == kInt64 && state.rank() == 1 && state.size() == static_cast<int64_t>(3 + shuffles_.size());
    const std::vector<int64_t> values = fits ? state.ToVector<int64_t>() : std::vector<int64_t>();
    if (!fits || values[0] != kFormat || values[1] < 0 || values[2] < 0)
      ThrowError(InvalidArgument("Iterator: the state ", std::string(DTypeName(state.dtype())), state.shape().ToString(),
                                 " is of another pipeline: this one, which ends with ", node_->name(), ", has int64[", 3 + shuffles_.size(), "]"));
    auto seeds = std::make_shared<std::unordered_map<const Node*, int64_t>>();
    for (size_t i = 0; i < shuffles_.size(); ++i) (*seeds)[shuffles_[i]] = values[3 + i];
    context_ = {.generation = values[1], .seeds = std::move(seeds)};
    ContextScope eager(nullptr);
    Start(values[2]);
  }

 private:
  void Start(int64_t position) {
    iterator_.reset();  // its threads and files first
    iterator_ = node_->MakeIterator(context_);
    position_ = iterator_->Skip(position);
  }

  const NodePtr node_;
  const std::vector<const Node*> shuffles_;
  PassContext context_;
  IteratorPtr iterator_;
  int64_t position_ = 0;  // elements given, those that threw included
};

}  // namespace

std::shared_ptr<Cursor> MakeCursor(NodePtr node, std::optional<int64_t> generation) { return std::make_shared<PipelineCursor>(std::move(node), generation); }

void AddTo(ObjectState& state, std::shared_ptr<Cursor> cursor) {
  state.AddValue({"position", [cursor] { return cursor->Save(); }, [cursor](const Tensor& saved) { cursor->Restore(saved); }});
}

void ThrowArity(size_t got, size_t want) {
  ThrowError(InvalidArgument("Dataset: the element has ", got, got == 1 ? " tensor, " : " tensors, ", want, " are bound"));
}

}  // namespace tandem::data::internal
