// Pictures of a graph, for people and other programs.
//
//   std::ofstream("model.svg") << ToSvg(graph);       // opens in any browser
//   std::ofstream("model.dot") << ToDot(graph);       // for Graphviz
#pragma once
#include <string>

#include "core/export.h"
#include "graph/graph.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// Nodes in layers from inputs (top) to results, an arrow an edge; control edges dashed; shapes on the nodes. Larger
// graphs than `max_nodes` show only their last so many nodes, and say so.
std::string ToSvg(const Graph& graph, int max_nodes = 400);
std::string ToDot(const Graph& graph);
// {"nodes": [{"name", "op", "inputs", "controls", "device", "attrs", "outputs"}, ...]}
std::string ToJson(const Graph& graph);

}  // namespace tandem
TANDEM_EXPORT_END
