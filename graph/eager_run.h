// A graph run node by node through eager dispatch: the reference that Sessions are compared with.
#pragma once
#include <map>
#include <string>

#include "core/function.h"
#include "graph/executable.h"

namespace tandem {

class EagerRun {
 public:
  explicit EagerRun(RefPtr<GraphState> graph) : graph_(std::move(graph)) {}

  // Variables keep their values from call to call, as in a Session. The error names the node.
  absl::StatusOr<Tensors> Run(const RunSignature& signature, const Tensors& feeds);

  // Runs nodes in this order; what `values` has for a node already is not computed.
  absl::Status RunNodes(const NodeGraph& graph, std::span<const int32_t> order, std::vector<Tensors>& values);

 private:
  class Env;
  absl::StatusOr<Tensors> RunNode(const Node& node, const Tensors& inputs);
  absl::StatusOr<Tensors> RunCall(const Node& node, std::span<TensorRep* const> inputs);
  RefPtr<GraphState> graph_;
  int depth_ = 0;                          // of function calls
  std::string path_, node_;                // of the function that runs, and the node that calls
  bool plain_call_ = false;                // it calls one function, at any rate
  std::map<std::string, Tensor> handles_;  // by container and shared_name
};

}  // namespace tandem
