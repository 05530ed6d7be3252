// What a Graph handle refers to: the nodes, their names, and what goes with them.
//
// Locking: `mutex` guards all members. Recording and import hold it exclusively while they add; a Session holds it
// shared while it copies the part it runs. Node ids are stable: nodes are only added.
#pragma once
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "core/context.h"
#include "core/host_function.h"
#include "core/symbolic.h"
#include "graph/node_graph.h"

namespace tandem::proto {
class FunctionDefLibrary;
class MetaGraphDef;
}  // namespace tandem::proto

namespace tandem {

class GraphState : public SymbolicGraph {
 public:
  GraphState();
  ~GraphState() override;
  std::string TensorName(int node, int output) const override;
  Origin NodeOrigin(int node) const override;

  mutable std::shared_mutex mutex;
  NodeGraph nodes;
  absl::flat_hash_map<std::string_view, int32_t> by_name;  // keys lie in the nodes' NameArena
  bool finalized = false;
  // Kept as loaded and saved again; nodes that call functions are refused at run time until functions run.
  std::unique_ptr<proto::FunctionDefLibrary> library;      // null: none
  std::unique_ptr<proto::MetaGraphDef> meta;               // of a loaded MetaGraphDef, without its graph; null: none
  // Host functions this graph owns, by token; others are looked up in the process-wide registry.
  std::map<std::string, std::shared_ptr<const HostFunction>, std::less<>> host_functions;
  // Derivatives the user gave (CustomGradient), by the `_gradient_op_type` attribute of the node that marks them.
  std::map<std::string, BackwardFn, std::less<>> custom_gradients;
  int64_t seed_counter = 0;  // for random ops without an op seed

  // A name not yet taken, made from `base` ("MatMul", "MatMul_1", …; letter case does not distinguish). Caller holds mutex.
  std::string UniqueName(std::string_view base) const;
  // Finds "name" or "name:k". NOT_FOUND, INVALID_ARGUMENT (output index). Caller holds mutex (shared suffices).
  absl::StatusOr<TensorId> FindTensor(std::string_view name) const;
  absl::StatusOr<int32_t> FindNode(std::string_view name) const;
  // The symbolic tensor of an output, with what is known of its shape. Caller holds mutex.
  Tensor Symbol(TensorId t);
  // The id of a symbolic tensor of this graph; INVALID_ARGUMENT when it belongs to another or has a value.
  absl::StatusOr<TensorId> IdOf(const Tensor& tensor, std::string_view what) const;
};

}  // namespace tandem
