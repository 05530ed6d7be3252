// Pruning: what neither fetches nor targets need goes, side effects outside their reach too, as in TensorFlow.
#include "graph/passes/optimizer.h"

namespace tandem {

std::vector<int32_t> PruneMap(const NodeGraph& graph, const GraphRoots& roots) {
  std::vector<bool> needed(graph.size(), false);
  std::vector<int32_t> stack;
  const auto visit = [&](int32_t id) {
    if (needed[id]) return;
    needed[id] = true;
    stack.push_back(id);
  };
  for (int32_t id : roots.feeds) visit(id);
  for (TensorId t : roots.fetches) visit(t.node);
  for (int32_t id : roots.targets) visit(id);
  while (!stack.empty()) {
    const int32_t id = stack.back();
    stack.pop_back();
    for (TensorId t : graph.node(id).inputs) visit(t.node);
    for (int32_t c : graph.node(id).controls) visit(c);
  }
  std::vector<int32_t> keep(graph.size(), -1);
  int32_t next = 0;
  for (int32_t id = 0; id < graph.size(); ++id)
    if (needed[id]) keep[id] = next++;
  return keep;
}

void ApplyPruneMap(NodeGraph& graph, GraphRoots& roots, std::span<const int32_t> keep) {
  graph.Keep(keep);
  for (int32_t& id : roots.feeds) id = keep[id];
  for (TensorId& t : roots.fetches) t.node = keep[t.node];
  for (int32_t& id : roots.targets) id = keep[id];
}

void Prune(NodeGraph& graph, GraphRoots& roots) { ApplyPruneMap(graph, roots, PruneMap(graph, roots)); }

}  // namespace tandem
