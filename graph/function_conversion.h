// Graphs that were captured become functions of another graph's library, together with the functions they call.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "graph/function_library.h"
#include "graph/graph_state.h"

namespace tandem {

struct FunctionOfGraph {
  FuncAttr func;
  std::vector<DType> results;
  Tensors captures;  // handles of the variables that the graph shares with eager code: further arguments
  bool stateful = false;
};

// Adds to `library` what computes `outputs` from `inputs` (outputs of placeholders) in `graph`; `effects` run too. What the
// graph calls comes along under new names. handle_of: the handle of a variable that lives in a Session.
// FAILED_PRECONDITION for a placeholder that is no input.
absl::StatusOr<FunctionOfGraph> AddGraphAsFunction(const GraphState& graph, std::span<const TensorId> inputs, std::span<const TensorId> outputs,
                                                   std::span<const int32_t> effects, std::string_view name, FunctionLibrary& library,
                                                   const std::function<absl::StatusOr<Tensor>(const Node& variable)>& handle_of);

}  // namespace tandem
