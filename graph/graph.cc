#include "graph/graph.h"

#include "core/context.h"
#include "graph/export.h"
#include "graph/graph_context.h"
#include "graph/graph_state.h"
#include "graph/import.h"
#include "graph/text.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

namespace tandem {
namespace {

// The path in front, node and code kept.
[[noreturn]] void ThrowWithPath(const std::string& path, const Error& e) { throw Error(e.code(), path + ": " + e.message(), e.node()); }

}  // namespace

Graph::Graph() : Graph(RefPtr<GraphState>(new GraphState)) {}
Graph::Graph(RefPtr<GraphState> state) : state_(state.release()) {
  handle_ = std::shared_ptr<void>(nullptr, [state = state_](void*) { static_cast<GraphState&>(*state).BreakCycles(); });
}

GraphState& Graph::state() const { return static_cast<GraphState&>(*state_); }

Graph Graph::Parse(std::string_view bytes) {
  Graph graph;
  ThrowIfError(ImportGraph(bytes, {}, graph.state()));
  return graph;
}

Graph Graph::Load(const std::string& path) {
  try {
    return Parse(ValueOrThrow(ReadGraphFile(path)));
  } catch (const Error& e) {
    ThrowWithPath(path, e);
  }
}

void Graph::Import(std::string_view bytes, std::string_view prefix) { ThrowIfError(ImportGraph(bytes, {std::string(prefix)}, state())); }

void Graph::Save(const std::string& path) const { ThrowIfError(WriteGraphFile(state(), path)); }

std::string Graph::Serialize() const { return ValueOrThrow(SerializeGraph(state())); }

int Graph::num_nodes() const {
  std::shared_lock lock(state().mutex);
  return state().nodes.size();
}

std::vector<std::string> Graph::node_names() const {
  std::shared_lock lock(state().mutex);
  std::vector<std::string> names;
  names.reserve(state().nodes.size());
  for (const Node& node : state().nodes.nodes()) names.emplace_back(node.name);
  return names;
}

Tensor Graph::Find(std::string_view tensor_name) const {
  std::shared_lock lock(state().mutex);
  return state().Symbol(ValueOrThrow(state().FindTensor(tensor_name)));
}

std::string Graph::ToString() const {
  std::shared_lock lock(state().mutex);
  return PrintFunctions(*state().library, state().nodes) + PrintGraph(state().nodes);
}

void Graph::Finalize() {
  std::unique_lock lock(state().mutex);
  state().finalized = true;
}

namespace {

std::string AddInitializer(GraphState& state) {
  std::unique_lock lock(state.mutex);
  ThrowIfError(state.CheckOpen("Initializer"));
  const std::string name = state.UniqueName("init");
  Node node;
  node.op = Op<"NoOp">();
  node.name = name;
  node.controls.assign(state.initializers.begin(), state.initializers.end());
  state.Append(std::move(node));
  return name;
}

}  // namespace

std::string Graph::Initializer() { return AddInitializer(state()); }

std::string GlobalVariablesInitializer() {
  GraphContext* context = CurrentGraphContext();
  if (!context) ThrowError(absl::FailedPreconditionError("GlobalVariablesInitializer: no graph is being recorded here; use Graph::Initializer"));
  return AddInitializer(context->state());
}

struct GraphScope::Impl {
  explicit Impl(const Graph& graph) : graph(graph), context(RefPtr<GraphState>::Share(&graph.state())), scope(&context) {}
  const Graph graph;
  GraphContext context;
  ContextScope scope;
  ScopeBarrier barrier;
};

GraphScope::GraphScope(const Graph& graph) : impl_(std::make_unique<Impl>(graph)) {}
GraphScope::~GraphScope() = default;

}  // namespace tandem
