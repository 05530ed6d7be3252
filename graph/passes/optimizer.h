// The passes as one call. Every rewrite goes through the EventLog, from which report, name map and checker come.
//
//   GraphRoots roots = {feeds, fetches, targets};
//   RETURN_IF_ERROR(Optimize(graph, roots, {.level = OptLevel::kO2}, &log));
//
// Feeds are Placeholder nodes that the Run fills: never folded, merged or removed. roots.fetches and roots.targets follow
// their nodes through every rewrite.
#pragma once
#include <string>
#include <vector>

#include "core/status.h"
#include "graph/node_graph.h"
#include "graph/session.h"

namespace tandem {

class EventLog;

struct GraphRoots {
  std::vector<int32_t> feeds;
  std::vector<TensorId> fetches;
  std::vector<int32_t> targets;
};

struct OptimizeOptions {
  OptLevel level = OptLevel::kO2;
  std::vector<std::string> disable, enable;
  int max_passes = -1;        // only the first so many that are on, for the checker; -1: all
  int64_t max_rewrites = -1;  // of the last of them; -1: all
};

// An error is one of the optimiser itself; what fails in the graph is left to the run.
absl::Status Optimize(NodeGraph& graph, GraphRoots& roots, const OptimizeOptions& options, EventLog* log);

// Removes what neither fetches nor targets need (side effects outside their reach too, as TensorFlow does); roots are
// renumbered. The only pass of O0.
void Prune(NodeGraph& graph, GraphRoots& roots);
// Its two halves: for every node its new id, -1 for what goes; and carrying that out.
std::vector<int32_t> PruneMap(const NodeGraph& graph, const GraphRoots& roots);
void ApplyPruneMap(NodeGraph& graph, GraphRoots& roots, std::span<const int32_t> keep);

}  // namespace tandem
