// Graph: what was recorded or loaded. A handle: copies name the same graph.
//
//   Graph graph;
//   {
//     GraphScope scope(graph);
//     Tensor x = Placeholder(kFloat32, {-1, 784}, "x");
//     Tensor y = Identity(MatMul(x, w), "y");        // w: a Variable; the graph shares its storage
//   }
//   graph.Save("model.pb");
//   Tensor y = Session(graph).Run({{"x:0", images}}, "y:0");
//
// Threads: any number may read, run Sessions and add nodes at once.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/plumbing.h"
#include "core/resource.h"
#include "core/scopes.h"
#include "core/tensor.h"
#include "core/unconnected_gradients.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class GraphState;

class Graph {
 public:
  Graph();
  // Reads a GraphDef or MetaGraphDef, binary or text (told apart by their content). Everything is validated before
  // anything is built: the error names node, op and argument. NOT_FOUND when the file or an op is not there.
  static Graph Load(const std::string& path);
  // The same from bytes.
  static Graph Parse(std::string_view bytes);
  // Writes a GraphDef, text when the path ends in .pbtxt or .txt, MetaGraphDef when it ends in .meta. Deterministic.
  void Save(const std::string& path) const;
  std::string Serialize() const;
  // Adds the nodes of another graph (bytes as Parse takes them) under prefix/. ALREADY_EXISTS when a name is taken.
  void Import(std::string_view bytes, std::string_view prefix = "");

  int num_nodes() const;
  std::vector<std::string> node_names() const;
  // "name:k" or "name" (output 0). NOT_FOUND names close matches.
  Tensor Find(std::string_view tensor_name) const;
  // One node a line, readable (docs/text-form.md).
  std::string ToString() const;
  // From here on adding a node is FAILED_PRECONDITION.
  void Finalize();
  // The name of a node that initializes every variable made in this graph so far: session.Run({}, {}, {name}). Variables
  // made eagerly have their value already. Adds the node.
  std::string Initializer();
  // A copy in which every variable shared with eager code is a constant of its present value: what to save for a process
  // that has no variables. FAILED_PRECONDITION for a variable without a value; assignments to them are left out.
  Graph Freeze() const;

  explicit Graph(RefPtr<GraphState> state);  // internal
  GraphState& state() const;                 // internal

 private:
  RefPtr<ResourceBase> state_;    // a GraphState
  std::shared_ptr<void> handle_;  // the last one to go lets the graph drop functions that refer to it
};

// Ops of this thread record into the graph for the life of the scope.
class GraphScope {
 public:
  explicit GraphScope(const Graph& graph);
  ~GraphScope();
  GraphScope(const GraphScope&) = delete;
  GraphScope& operator=(const GraphScope&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Graph::Initializer of the graph whose scope is innermost on this thread: session.Run({}, {}, {name}).
// FAILED_PRECONDITION outside of a GraphScope.
std::string GlobalVariablesInitializer();

// Static differentiation: adds the nodes that compute d(sum of ys)/dx for each x, with the same gradient definitions as
// the tape, under the name scope "gradients". Undefined for an x that ys do not depend on. INVALID_ARGUMENT: tensors that
// are not of one graph, a y that is no floating or complex number, a grad_y that does not fit its y.
Tensors Gradients(const Tensors& ys, const Tensors& xs, const Tensors& grad_ys = {}, Origin origin = Here());
// With zeros of x's shape and dtype where ys do not depend on it.
Tensors Gradients(const Tensors& ys, const Tensors& xs, const Tensors& grad_ys, UnconnectedGradients unconnected, Origin origin = Here());
Tensor Gradients(const Tensor& y, const Tensor& x, Origin origin = Here());
Tensors Gradients(const Tensor& y, const std::vector<Variable>& xs, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
