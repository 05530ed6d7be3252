#include "core/variable_storage.h"
#include "graph/graph.h"
#include "graph/graph_state.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

namespace tandem {
namespace {

// Whether a node is the handle of an eager variable, or a read of one.
const VariableStorage* CapturedStorage(const Node& node) {
  if (node.op != Op<"VarHandleOp">() || !node.extra || !node.extra->captured.defined()) return nullptr;
  return dynamic_cast<const VariableStorage*>(node.extra->captured.rep()->as<ResourceBase*>()[0]);
}

}  // namespace

Graph Graph::Freeze() const {
  Graph frozen(RefPtr<GraphState>(new GraphState(state().library)));
  GraphState& to = frozen.state();
  std::shared_lock lock(state().mutex);
  const NodeGraph& from = state().nodes;
  absl::flat_hash_map<int32_t, Tensor> values;  // by handle: one read, so that all its readers see the same value
  std::vector<int32_t> keep(from.size(), -1);
  int32_t kept = 0;
  // What touches a handle in another way than reading it (assignments) goes, and with it what depends on its outputs.
  const std::vector<int32_t> order = ValueOrThrow(from.TopologicalOrder());
  std::vector<bool> gone(from.size(), false);
  for (int32_t id : order) {
    const Node& node = from.node(id);
    if (const VariableStorage* storage = CapturedStorage(node)) {
      gone[id] = true;
      auto value = storage->Read();
      if (!value.ok()) ThrowError(WithNode(value.status(), node.name));
      values.emplace(id, *std::move(value));
      continue;
    }
    if (node.op == Op<"ReadVariableOp">() && values.contains(node.inputs[0].node)) continue;
    for (const TensorId& t : node.inputs) gone[id] = gone[id] || gone[t.node];
  }
  for (int32_t id = 0; id < from.size(); ++id)
    if (!gone[id]) keep[id] = kept++;
  to.nodes = from.EmptyCopy();
  to.nodes.set_library(to.library.get());
  to.nodes.Reserve(kept);
  for (int32_t id = 0; id < from.size(); ++id) {
    if (gone[id]) continue;
    Node node = from.node(id);
    if (node.op == Op<"ReadVariableOp">() && values.contains(node.inputs[0].node)) {
      node.attrs = NodeGraph::ConstAttrs(values.at(node.inputs[0].node));
      node.op = Op<"Const">();
      node.inputs.clear();
      node.outputs = {{node.attrs[1].ref().get<DType>(), node.attrs[0].ref().get<Tensor>().shape()}};
    }
    for (TensorId& t : node.inputs) t.node = keep[t.node];
    absl::InlinedVector<int32_t, 1> controls;
    for (int32_t c : node.controls)
      if (keep[c] >= 0) controls.push_back(keep[c]);
    node.controls = std::move(controls);
    to.nodes.AddCopy(std::move(node));
  }
  for (int32_t id = 0; id < to.nodes.size(); ++id) to.by_name.emplace(to.nodes.node(id).name, id);
  for (int32_t id : state().initializers)
    if (keep[id] >= 0) to.initializers.push_back(keep[id]);
  to.host_functions = state().host_functions;
  if (state().header) to.header = std::make_unique<proto::GraphDef>(*state().header);
  if (state().meta) to.meta = std::make_unique<proto::MetaGraphDef>(*state().meta);
  return frozen;
}

}  // namespace tandem
