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
#include "core/random_seed.h"
#include "core/symbolic.h"
#include "graph/function_library.h"
#include "graph/node_graph.h"

namespace tandem::proto {
class GraphDef;
class MetaGraphDef;
}  // namespace tandem::proto

namespace tandem {

class GraphState : public SymbolicGraph {
 public:
  // With the functions of `library`, or a library of its own.
  explicit GraphState(std::shared_ptr<FunctionLibrary> library = nullptr);
  // The body of a function while it is traced inside `outer`.
  explicit GraphState(RefPtr<GraphState> outer);
  ~GraphState() override;
  std::string TensorName(int node, int output) const override;
  Origin NodeOrigin(int node) const override;
  std::string NodeDevice(int node) const override;
  Tensor ConstantValue(int node, int output) const override;
  std::optional<Tensors> InputsOfNode(int node, OpId op) override;
  absl::StatusOr<Tensors> GradientsOf(const Tensors& ys, const Tensors& xs) override;
  std::string LastUpdateOf(const Tensor& handle) override;
  Tensor InitialValueOf(const Tensor& handle) override;
  void ReadAfterUpdate(int read) override;

  // Null for a graph of its own.
  const RefPtr<GraphState> outer;
  const uint64_t serial;  // never 0, never used twice
  // What functions and the graph around them have in common (host functions, derivatives, seeds) lies here.
  GraphState& root() { return outer ? outer->root() : *this; }
  const GraphState& root() const { return outer ? outer->root() : *this; }

  mutable std::shared_mutex mutex;
  NodeGraph nodes;
  absl::flat_hash_map<std::string_view, int32_t> by_name;  // keys lie in the nodes' NameArena
  bool finalized = false;
  // What nodes here, and the functions themselves, call. Has a lock of its own.
  const std::shared_ptr<FunctionLibrary> library;
  // As loaded, and saved again: a GraphDef without its nodes and functions (versions, debug information, unknown fields),
  // and a MetaGraphDef without its graph. Null: recorded here.
  std::unique_ptr<proto::GraphDef> header;
  std::unique_ptr<proto::MetaGraphDef> meta;
  // Host functions this graph owns, by token; others are looked up in the process-wide registry.
  std::map<std::string, std::shared_ptr<const HostFunction>, std::less<>> host_functions;
  // Derivatives the user gave (CustomGradient), by the `_gradient_op_type` attribute of the node that marks them.
  std::map<std::string, BackwardFn, std::less<>> custom_gradients;
  RandomSeeds seeds{RandomSeeds::Mode::kGraph};
  // The first assignment to each variable made here, in order: what Graph::Initializer runs.
  std::vector<int32_t> initializers;
  // Nodes that stand for values from outside: the Const of an eager tensor (the node keeps the tensor alive, so that its
  // address is its own), the VarHandleOp of an eager variable.
  absl::flat_hash_map<const TensorRep*, int32_t> constants;
  absl::flat_hash_map<const ResourceBase*, int32_t> captured;

  // A name not yet taken, made from `base` ("MatMul", "MatMul_1", …; letter case does not distinguish). Caller holds mutex.
  std::string UniqueName(std::string_view base);
  // Appends a node that was validated and inferred, under its name, which is not taken. Caller holds mutex.
  int32_t Append(Node node);
  // FAILED_PRECONDITION once finalized. Caller holds mutex.
  absl::Status CheckOpen(std::string_view what) const;
  // Finds "name" or "name:k". NOT_FOUND, INVALID_ARGUMENT (output index). Caller holds mutex (shared suffices).
  absl::StatusOr<TensorId> FindTensor(std::string_view name) const;
  absl::StatusOr<int32_t> FindNode(std::string_view name) const;
  // The symbolic tensor of an output, with what is known of its shape. Caller holds mutex.
  Tensor Symbol(TensorId t);
  // The id of a symbolic tensor of this graph; INVALID_ARGUMENT when it belongs to another or has a value.
  absl::StatusOr<TensorId> IdOf(const Tensor& tensor, std::string_view what) const;
  // Lets go of functions that may hold tensors of this graph, and so the graph: called when its last Graph handle ends.
  void BreakCycles();

 private:
  // By hash of the lower-case name: the next suffix to try. Filled for the first named_ nodes; names that merely share a
  // hash only skip a suffix.
  absl::flat_hash_map<uint64_t, int32_t> next_suffix_;
  int32_t named_ = 0;
};

}  // namespace tandem
