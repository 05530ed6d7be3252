#include "graph/node_graph.h"

#include <algorithm>
#include <cstring>

#include "graph/function_library.h"

namespace tandem {

std::string_view NameArena::Add(std::string_view name) {
  if (left_ < name.size()) {
    const size_t bytes = std::max<size_t>(name.size(), 16 << 10);
    chunks_.push_back(std::make_unique<char[]>(bytes));
    next_ = chunks_.back().get();
    left_ = bytes;
  }
  char* at = next_;
  if (!name.empty()) std::memcpy(at, name.data(), name.size());
  next_ += name.size();
  left_ -= name.size();
  return {at, name.size()};
}

NodeGraph::Names::Names(const Names& other) : own_(std::make_shared<NameArena>()), borrowed_(other.borrowed_) {
  borrowed_.push_back(other.own_);
}

int32_t NodeGraph::Add(OpId op, std::string_view name) {
  Node& node = nodes_.emplace_back();
  node.op = op;
  node.name = names_.Add(name);
  return size() - 1;
}

int32_t NodeGraph::AddCopy(const Node& node) {
  nodes_.push_back(node);
  return size() - 1;
}

NodeGraph NodeGraph::EmptyCopy() const {
  NodeGraph g;
  g.names_ = names_;
  g.library_ = library_;
  return g;
}

std::string NodeGraph::TensorName(TensorId t) const {
  std::string text(nodes_[t.node].name);
  text += ':';
  text += std::to_string(t.output);
  return text;
}

absl::InlinedVector<InferInput, 4> NodeGraph::InferInputs(const Node& node) const {
  absl::InlinedVector<InferInput, 4> inputs;
  for (const TensorId& t : node.inputs) {
    const Node& from = nodes_[t.node];
    const NodeOutput& out = from.outputs[t.output];
    InferInput& in = inputs.emplace_back();
    in.dims = out.shape.begin();
    in.rank = out.shape.rank();
    in.dtype = out.dtype;
    if (from.op == Op<"Const">()) {
      // The attribute owns the tensor, so the borrowed rep lives as long as the node's attributes.
      const Tensor value = from.attrs[0].ref().get<Tensor>();
      in.value = value.rep();
    }
    if (out.dtype == kResource && from.extra && static_cast<size_t>(t.output) < from.extra->handles.size())
      in.handle = &from.extra->handles[t.output];
  }
  return inputs;
}

absl::Status NodeGraph::InferNode(int32_t id) { return Infer(nodes_[id]); }

absl::Status NodeGraph::Infer(Node& node, int call_depth) const {
  const auto inputs = InferInputs(node);
  const auto attrs = node.attr_refs();
  InferContext context(node.schema(), inputs, attrs);
  if (absl::Status status = context.Run(); !status.ok()) return WithNode(std::move(status), node.name);
  if (absl::Status status = InferCall(library_, context, call_depth); !status.ok()) return WithNode(std::move(status), node.name);
  StoreOutputs(context, node);
  return absl::OkStatus();
}

void NodeGraph::StoreOutputs(InferContext& context, Node& node) {
  node.outputs.clear();
  std::vector<HandleInfo> handles;
  for (InferOutput& out : context.outputs()) {
    node.outputs.push_back({out.dtype, std::move(out.shape)});
    if (out.handle) {
      handles.resize(node.outputs.size());
      handles.back() = *std::move(out.handle);
    }
  }
  if (!handles.empty()) {
    auto extra = node.extra ? std::make_shared<NodeExtra>(*node.extra) : std::make_shared<NodeExtra>();
    handles.resize(node.outputs.size());
    extra->handles = std::move(handles);
    node.extra = std::move(extra);
  }
}

absl::InlinedVector<AttrValue, 1> NodeGraph::ConstAttrs(const Tensor& value) {
  absl::InlinedVector<AttrValue, 1> attrs;
  for (const OpAttr& attr : GetOp(Op<"Const">()).attrs()) {
    if (attr.explicit_index < 0) continue;
    attrs.push_back(attr.kind == AttrKind::kTensor ? AttrValue(AttrRef(value)) : AttrValue(AttrRef(value.dtype())));
  }
  return attrs;
}

void NodeGraph::Keep(std::span<const int32_t> keep) {
  for (size_t id = 0; id < keep.size(); ++id) {
    if (keep[id] < 0) continue;
    Node& node = nodes_[id];
    for (TensorId& t : node.inputs) t.node = keep[t.node];
    for (int32_t& c : node.controls) c = keep[c];
    if (keep[id] != static_cast<int32_t>(id)) nodes_[keep[id]] = std::move(node);
  }
  const auto kept = std::count_if(keep.begin(), keep.end(), [](int32_t id) { return id >= 0; });
  nodes_.resize(kept);
}

absl::StatusOr<std::vector<int32_t>> NodeGraph::TopologicalOrder() const {
  const Fanout fanout(*this);
  std::vector<int32_t> waiting(nodes_.size());
  std::vector<int32_t> order;
  order.reserve(nodes_.size());
  for (int32_t id = 0; id < size(); ++id) {
    waiting[id] = static_cast<int32_t>(nodes_[id].inputs.size() + nodes_[id].controls.size());
    if (waiting[id] == 0) order.push_back(id);
  }
  for (size_t done = 0; done < order.size(); ++done)
    for (const Fanout::Use& use : fanout.uses(order[done]))
      if (--waiting[use.node] == 0) order.push_back(use.node);
  if (order.size() == nodes_.size()) return order;

  // What is left waits for a cycle: walk backwards from any of it until a node repeats.
  int32_t at = static_cast<int32_t>(std::find_if(waiting.begin(), waiting.end(), [](int32_t w) { return w > 0; }) - waiting.begin());
  std::vector<int32_t> path, position(nodes_.size(), -1);
  while (position[at] < 0) {
    position[at] = static_cast<int32_t>(path.size());
    path.push_back(at);
    const Node& node = nodes_[at];
    int32_t next = -1;
    for (const TensorId& t : node.inputs)
      if (waiting[t.node] > 0) next = t.node;
    for (int32_t c : node.controls)
      if (waiting[c] > 0) next = c;
    at = next;
  }
  std::string names;
  const size_t begin = position[at], shown = std::min<size_t>(path.size() - begin, 8);
  for (size_t i = 0; i < shown; ++i) absl::StrAppend(&names, i ? " <- " : "", "\"", std::string(nodes_[path[begin + i]].name), "\"");
  if (path.size() - begin > shown) names += " <- …";
  return InvalidArgument("the graph has a cycle: ", names, " <- \"", std::string(nodes_[at].name), "\"");
}

Fanout::Fanout(const NodeGraph& graph) : start_(graph.size() + 1, 0) {
  for (const Node& node : graph.nodes()) {
    for (const TensorId& t : node.inputs) ++start_[t.node + 1];
    for (int32_t c : node.controls) ++start_[c + 1];
  }
  for (size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  uses_.resize(start_.back());
  std::vector<int32_t> next(start_.begin(), start_.end() - 1);
  for (int32_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      uses_[next[node.inputs[i].node]++] = {id, static_cast<int32_t>(i), node.inputs[i].output};
    for (int32_t c : node.controls) uses_[next[c]++] = {id, -1, -1};
  }
}

}  // namespace tandem
