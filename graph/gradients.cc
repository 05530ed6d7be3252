#include <functional>
#include <queue>

#include "core/gradient.h"
#include "core/gradient_walk.h"
#include "core/ops/fill.h"
#include "core/ops/likeness.h"
#include "core/ops/reshape.h"
#include "core/scopes.h"
#include "core/variable_storage.h"
#include "core/visit.h"
#include "graph/graph.h"
#include "graph/graph_context.h"
#include "graph/graph_state.h"
#include "proto/attr_value.pb.h"

namespace tandem {
namespace {

// The key of the derivative that the user gave for this node; "" when he gave none.
std::string CustomKey(const Node& node) {
  if (!node.extra) return "";
  for (const auto& [name, bytes] : node.extra->other_attrs) {
    if (name != "_gradient_op_type") continue;
    proto::AttrValue value;
    return value.ParseFromString(bytes) ? value.s() : "";
  }
  return "";
}

// The nodes that ys depend on, as records: in an order where every node comes after those it reads.
class GraphRecords : public GradientRecords {
 public:
  // Of `state`, which is the context's graph or one around it: what is read of it there is captured.
  GraphRecords(GraphContext& context, GraphState& state, std::span<const TensorId> ys) : context_(context), state_(state) {
    std::shared_lock lock(state_.mutex);
    const NodeGraph& graph = state_.nodes;
    std::vector<int32_t> found;
    std::vector<bool> seen(graph.size(), false);
    const auto visit = [&](int32_t id) {
      if (!seen[id]) found.push_back(id);
      seen[id] = true;
    };
    for (TensorId y : ys) visit(y.node);
    for (size_t i = 0; i < found.size(); ++i)
      for (TensorId t : graph.node(found[i]).inputs) visit(t.node);
    Order(graph, found);
    for (int32_t id : nodes_) {
      record_of_.emplace(id, static_cast<int32_t>(first_output_.size()));
      first_output_.push_back(num_values_);
      num_outputs_.push_back(static_cast<int32_t>(graph.node(id).outputs.size()));
      num_values_ += num_outputs_.back();
    }
    for (int32_t id : nodes_) {
      first_input_.push_back(static_cast<int32_t>(inputs_.size()));
      const Node& node = graph.node(id);
      const bool open = node.schema().differentiable() || !CustomKey(node).empty();
      for (TensorId t : node.inputs) {
        const DType dtype = graph.output(t).dtype;
        inputs_.push_back(open && (IsDifferentiable(dtype) || dtype == kResource || dtype == kVariant) ? ValueOf(t) : -1);
      }
    }
    first_input_.push_back(static_cast<int32_t>(inputs_.size()));
  }

  // Negative when ys do not depend on it.
  int32_t ValueOf(TensorId t) const {
    const auto it = record_of_.find(t.node);
    return it == record_of_.end() ? -1 : first_output_[it->second] + t.output;
  }

  int num_records() const override { return static_cast<int>(nodes_.size()); }
  int num_values() const override { return num_values_; }
  std::span<const int32_t> inputs(int r) const override {
    return {inputs_.data() + first_input_[r], static_cast<size_t>(first_input_[r + 1] - first_input_[r])};
  }
  int32_t first_output(int r) const override { return first_output_[r]; }
  int num_outputs(int r) const override { return num_outputs_[r]; }
  absl::StatusOr<Tensors> Backward(int r, std::span<const Tensor> dy, std::span<const bool> needed) override;

 private:
  // Kahn's algorithm over the found nodes alone, of those that are ready always the oldest: a recorded graph is walked in the
  // order of the program, as a tape walks it, so that gradients of one value are added in the same order.
  void Order(const NodeGraph& graph, const std::vector<int32_t>& found) {
    absl::flat_hash_map<int32_t, int32_t> waiting;
    absl::flat_hash_map<int32_t, std::vector<int32_t>> readers;
    for (int32_t id : found) {
      waiting[id] = static_cast<int32_t>(graph.node(id).inputs.size());
      for (TensorId t : graph.node(id).inputs) readers[t.node].push_back(id);
    }
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
    for (int32_t id : found)
      if (waiting[id] == 0) ready.push(id);
    while (!ready.empty()) {
      nodes_.push_back(ready.top());
      ready.pop();
      for (int32_t reader : readers[nodes_.back()])
        if (--waiting[reader] == 0) ready.push(reader);
    }
  }

  GraphContext& context_;
  GraphState& state_;
  std::vector<int32_t> nodes_;  // by record
  absl::flat_hash_map<int32_t, int32_t> record_of_;
  std::vector<int32_t> first_input_, inputs_, first_output_, num_outputs_;
  int32_t num_values_ = 0;
};

absl::StatusOr<Tensors> GraphRecords::Backward(int r, std::span<const Tensor> dy, std::span<const bool> needed) {
  // Copied out: what the gradient records may move the nodes.
  Node node;
  Tensors inputs, outputs;
  BackwardFn custom;
  std::string key;
  {
    std::shared_lock lock(state_.mutex);
    node = state_.nodes.node(nodes_[r]);
    for (TensorId t : node.inputs) inputs.push_back(state_.Symbol(t));
    for (size_t i = 0; i < node.outputs.size(); ++i) outputs.push_back(state_.Symbol({nodes_[r], static_cast<int32_t>(i)}));
    key = CustomKey(node);
  }
  if (!key.empty()) {
    const GraphState& root = state_.root();
    std::shared_lock lock(root.mutex);
    if (const auto it = root.custom_gradients.find(key); it != root.custom_gradients.end()) custom = it->second;
  }
  context_.forward = {node.origin};
  absl::StatusOr<Tensors> dx;
  if (!key.empty()) {
    if (!custom)
      return WithNode(absl::FailedPreconditionError(absl::StrCat("Gradients: \"", key, "\", the derivative of this node, was given in another process")), node.name);
    try {
      dx = custom(Tensors(dy.begin(), dy.end()));
    } catch (...) {
      dx = StatusFromException(std::current_exception());
    }
    if (dx.ok() && dx->size() != inputs.size())
      dx = InvalidArgument("Gradients: the derivative given for this node has ", dx->size(), " gradients for ", inputs.size(), " inputs");
  } else {
    const auto refs = node.attr_refs();
    dx = CallGradient(Recorded(node.schema(), inputs, outputs, refs, node.origin, nullptr, needed.data()), dy);
  }
  context_.forward.clear();
  if (!dx.ok()) return WithNode(dx.status(), node.name);
  return dx;
}

Tensor Ones(const Tensor& y) {
  const Tensor one = ZerosOfShape(y.dtype(), {});
  VisitNumeric(y.dtype(), [&]<class T>(T) {
    if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) *one.rep()->as<T>() = T(1.0f);
    else *one.rep()->as<T>() = T(1);
  });
  if (y.shape() == Shape{}) return one;
  return Fill(ShapeOf(y), one);
}

// The tensor of the graph that stands for a source: an eager variable's handle is the node that captured it.
absl::StatusOr<TensorId> SourceId(const GraphState& state, const Tensor& x) {
  if (x.defined() && !x.symbolic() && x.dtype() == kResource && x.size() == 1) {
    const auto it = state.captured.find(x.rep()->as<ResourceBase*>()[0]);
    return it == state.captured.end() ? TensorId{-1, 0} : TensorId{it->second, 0};
  }
  return state.IdOf(x, "Gradients: x");
}

struct Sources {
  std::vector<TensorId> ys, xs;
};

absl::StatusOr<Sources> Resolve(GraphState& state, const Tensors& ys, const Tensors& xs) {
  std::shared_lock lock(state.mutex);
  Sources ids;
  for (const Tensor& y : ys) {
    ASSIGN_OR_RETURN(const TensorId id, state.IdOf(y, "Gradients: y"));
    if (!IsDifferentiable(y.dtype()) && y.dtype() != kVariant)
      return InvalidArgument("Gradients: y \"", state.nodes.TensorName(id), "\" is ", std::string(DTypeName(y.dtype())), ", which has no gradient");
    ids.ys.push_back(id);
  }
  for (const Tensor& x : xs) {
    ASSIGN_OR_RETURN(const TensorId id, SourceId(state, x));
    ids.xs.push_back(id);
  }
  return ids;
}

Tensors Compute(GraphContext& context, GraphState& state, const Tensors& ys, const Tensors& xs, const Tensors& grad_ys) {
  const Sources ids = ValueOrThrow(Resolve(state, ys, xs));
  NameScope names("gradients");
  GraphRecords records(context, state, ids.ys);
  std::vector<GradientSeed> seeds;
  for (size_t i = 0; i < ys.size(); ++i) {
    const bool given = i < grad_ys.size() && grad_ys[i].defined();
    if (given && (grad_ys[i].dtype() != ys[i].dtype() || !grad_ys[i].shape().CompatibleWith(ys[i].shape())))
      ThrowError(InvalidArgument("Gradients: grad_y is ", std::string(DTypeName(grad_ys[i].dtype())), grad_ys[i].shape().ToString(), ", its y is ",
                                 std::string(DTypeName(ys[i].dtype())), ys[i].shape().ToString()));
    if (!given && !IsDifferentiable(ys[i].dtype())) ThrowError(InvalidArgument("Gradients: y is a list, whose grad_y must be given"));
    seeds.push_back({records.ValueOf(ids.ys[i]), given ? grad_ys[i] : Ones(ys[i])});
  }
  std::vector<int32_t> values;
  for (TensorId x : ids.xs) values.push_back(x.node < 0 ? -1 : records.ValueOf(x));
  return ValueOrThrow(WalkGradients(records, seeds, values));
}

}  // namespace

absl::StatusOr<Tensors> GraphState::GradientsOf(const Tensors& ys, const Tensors& xs) {
  try {
    return Gradients(ys, xs);
  } catch (...) {
    return StatusFromException(std::current_exception());
  }
}

Tensors Gradients(const Tensors& ys, const Tensors& xs, const Tensors& grad_ys, Origin origin) {
  if (ys.empty()) ThrowError(InvalidArgument("Gradients: no y"));
  SymbolicGraph* graph = GraphOf(ys[0]);
  if (!graph) ThrowError(InvalidArgument("Gradients: y has a value; it takes tensors of a graph (GradientTape differentiates eager code)"));
  // Under a scope of this graph the current context records, so that a tape above it sees the gradient; else one of our own.
  // In a function traced inside this graph the gradient belongs to the function.
  auto& state = static_cast<GraphState&>(*graph);
  if (GraphContext* current = CurrentGraphContext())
    for (GraphState* around = &current->state(); around; around = around->outer.get())
      if (around == &state) return Compute(*current, state, ys, xs, grad_ys);
  GraphContext own(RefPtr<GraphState>::Share(&state));
  ContextScope scope(&own);
  ScopeBarrier barrier;
  return Compute(own, state, ys, xs, grad_ys);
}

Tensors Gradients(const Tensors& ys, const Tensors& xs, const Tensors& grad_ys, UnconnectedGradients unconnected, Origin origin) {
  Tensors gradients = Gradients(ys, xs, grad_ys, origin);
  if (unconnected == UnconnectedGradients::kNone) return gradients;
  // As nodes of ys' graph, whatever is current.
  GraphContext own(RefPtr<GraphState>::Share(static_cast<GraphState*>(GraphOf(ys[0]))));
  ContextScope scope(&own);
  for (size_t i = 0; i < xs.size(); ++i) {
    if (gradients[i].defined()) continue;
    gradients[i] = xs[i].dtype() == kResource ? ZerosLike(Variable::FromHandle(xs[i]).Read(origin)) : ZerosLike(xs[i]);
  }
  return gradients;
}

Tensor Gradients(const Tensor& y, const Tensor& x, Origin origin) { return Gradients(Tensors{y}, Tensors{x}, {}, origin)[0]; }

Tensors Gradients(const Tensor& y, const std::vector<Variable>& xs, Origin origin) {
  Tensors handles;
  for (const Variable& x : xs) handles.push_back(x.handle());
  return Gradients(Tensors{y}, handles, {}, origin);
}

}  // namespace tandem
