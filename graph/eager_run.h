// A graph run node by node through eager dispatch: the reference that Sessions are compared with.
#pragma once
#include <map>
#include <string>

#include "graph/executable.h"

namespace tandem {

class EagerRun {
 public:
  explicit EagerRun(RefPtr<GraphState> graph) : graph_(std::move(graph)) {}

  // Variables keep their values from call to call, as in a Session. The error names the node.
  absl::StatusOr<Tensors> Run(const RunSignature& signature, const Tensors& feeds);

 private:
  absl::StatusOr<Tensors> RunNode(const Node& node, const Tensors& inputs);
  RefPtr<GraphState> graph_;
  std::map<std::string, Tensor> handles_;  // by container and shared_name
};

}  // namespace tandem
