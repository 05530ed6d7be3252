// Writing graphs: deterministic, node by node in the order they were made.
#pragma once
#include <string>

#include "core/status.h"

namespace tandem::proto {
class GraphDef;
class MetaGraphDef;
}  // namespace tandem::proto

namespace tandem {

class GraphState;
class NodeGraph;

// The nodes as messages, every attribute written out, unknown ones as they were read. INVALID_ARGUMENT: constants that no
// message holds, more than 2 GB.
absl::Status NodesToProto(const NodeGraph& nodes, proto::GraphDef* message);
// With versions, library and debug information.
absl::Status GraphToProto(const GraphState& state, proto::GraphDef* message);
absl::StatusOr<std::string> SerializeGraph(const GraphState& state);
// GraphDef; text for .pbtxt and .txt, MetaGraphDef for .meta. The file appears whole or not at all.
absl::Status WriteGraphFile(const GraphState& state, const std::string& path);

}  // namespace tandem
