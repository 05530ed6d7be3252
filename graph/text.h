// The text form of graphs: one node a line, printed for people and parsed by tests (docs/text-form.md).
//
//   x = Placeholder() : float32[?,4]
//   r = RandomUniform([4]) : float32
//   y = MatMul(x, w:1, ^init) {transpose_b=true} @"/cpu:0"      # fetch
//   function square(x : float32[?]) {
//     y = Mul(x, x)
//     return y, ^check                        # control results behind the results
//   }
//
//   ASSIGN_OR_RETURN(ParsedGraph g, ParseGraphText(text));
//   PrintGraph(g.graph, {.fetches = g.fetches}) == text
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "graph/function_library.h"
#include "graph/node_graph.h"

namespace tandem {

struct TextOptions {
  bool inline_constants = true;  // a small Const stands where it is read, and has no line of its own
  bool types = false;            // the type of every output, not only where it says an attribute
  std::vector<TensorId> fetches = {};  // marked `# fetch`
  bool mark_fetches = true;
};

// Nodes in the order of the graph. Constants of more than 32 elements print as float32[100,10]{…}, which does not parse.
std::string PrintGraph(const NodeGraph& graph, const TextOptions& options = {});

// The functions of a library, each as a block; those that passes made only if the graph calls them.
std::string PrintFunctions(const FunctionLibrary& library, const NodeGraph& graph);

struct ParsedGraph {
  std::shared_ptr<FunctionLibrary> library;  // what the graph calls
  NodeGraph graph;
  std::vector<TensorId> fetches;  // output 0 of each node marked `# fetch`
  std::vector<int32_t> targets;   // nodes marked `# target`
};

// Lines in any order. INVALID_ARGUMENT "line 3: …" for what is no node, an op or input that is not there, and what
// inference refuses; a type after the colon must be the inferred one.
absl::StatusOr<ParsedGraph> ParseGraphText(std::string_view text);

// A constant as the text form writes it: 2, [1.5,2.], "a", int64([1,2]), float32[0,3]{}.
std::string LiteralText(const Tensor& value);
// The types of outputs: "float32[?,4], int32[]".
std::string TypesText(std::span<const NodeOutput> outputs);

}  // namespace tandem
