// Reading graphs: bytes to validated nodes. Everything is checked before anything is built, so that an error leaves the
// graph as it was.
//
//   RETURN_IF_ERROR(ImportGraph(bytes, {.prefix = "tower_0"}, state));
//
// Takes a GraphDef or a MetaGraphDef, binary or text, told apart by their content. The rules are TensorFlow's: nodes in any
// order, attributes at their default may be missing, attributes unknown to the op are kept and saved again, nothing is
// inferred that the file should say. Linear in the number of nodes, without recursion over depth.
#pragma once
#include <string>
#include <string_view>

#include "core/status.h"

namespace tandem::proto {
class GraphDef;
}

namespace tandem {

class FunctionLibrary;
class GraphState;
class NodeGraph;

// Of the GraphDef language that is read and written; a file may say that it needs a newer one.
inline constexpr int kGraphDefVersion = 2474;

struct ImportOptions {
  std::string prefix;  // nodes are added as prefix/name
};

// DATA_LOSS: no graph, or a damaged one. INVALID_ARGUMENT, naming node, op and input or attribute: a name that is none or is
// there twice, a missing input, an output index out of range, a cycle, a wrong count or dtype of inputs, a wrong or missing
// attribute, shapes that contradict, a device that is none, a file that asks for a newer version. NOT_FOUND: an op or
// function that is not here. UNIMPLEMENTED: a generic function that is called, a dtype that only TensorFlow has.
// ALREADY_EXISTS: a name that the graph has. FAILED_PRECONDITION: the graph is finalized.
absl::Status ImportGraph(std::string_view bytes, const ImportOptions& options, GraphState& state);

// The nodes of one message, validated and inferred, as a graph of its own that calls functions of `library`. In the body of
// a function, `_class` may name nodes of the graph that it was traced in.
absl::StatusOr<NodeGraph> BuildNodes(const proto::GraphDef& message, const std::string& prefix, const FunctionLibrary* library, bool is_body = false);

// The bytes of a file; NOT_FOUND, INVALID_ARGUMENT (a folder).
absl::StatusOr<std::string> ReadGraphFile(const std::string& path);

}  // namespace tandem
