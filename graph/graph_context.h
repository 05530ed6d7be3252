// The context that records: each OpCall becomes a node of the graph, its outputs symbolic tensors.
//
// Values from outside become nodes where an op first reads them: an eager tensor a Const (one for each tensor), an eager
// variable's handle a VarHandleOp that shares its storage. Names come from the op (or the name the call gives) and the
// name scopes; control inputs and the device from their scopes (core/scopes.h).
#pragma once
#include "core/context.h"
#include "core/host_function.h"
#include "graph/graph_state.h"

namespace tandem {

class GraphContext final : public Context, public HostFunctionOwner {
 public:
  explicit GraphContext(RefPtr<GraphState> state) : state_(std::move(state)) {}

  // Infers as an eager call would, with what is known; the same error text, plus the node. FAILED_PRECONDITION when the
  // graph is finalized, INVALID_ARGUMENT for a tensor of another graph. An error leaves the graph as it was, but for
  // constants that the call read.
  absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) override;
  bool executing_eagerly() const override { return false; }
  // One IdentityN over outputs and inputs that carries the derivative (`_gradient_op_type`), as TensorFlow writes it.
  absl::Status RecordCustom(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward,
                            Origin origin) override;
  // The graph owns the callable from here on. The token is its name, made unique.
  absl::StatusOr<std::string> OwnHostFunction(std::string_view name, HostFunction function) override;
  RandomSeeds& random_seeds() override { return state_->seeds; }

  GraphState& state() const { return *state_; }
  // Gradient nodes are recorded while this is set: the forward ops they stem from.
  std::vector<Origin> forward;

 private:
  absl::StatusOr<TensorId> Input(const OpCall& call, TensorRep* rep, size_t i);
  absl::StatusOr<int32_t> AddConstant(const Tensor& value);
  absl::StatusOr<int32_t> AddCaptured(const OpCall& call, TensorRep* rep);
  absl::Status AddControls(const OpCall& call, Node& node);
  absl::StatusOr<int32_t> Record(const OpCall& call);
  void NoteInitializer(int32_t id);
  // The derivative that the user gave for a node, under a key that the node's `_gradient_op_type` names.
  void SetGradient(int32_t id, const std::string& key, BackwardFn backward);

  RefPtr<GraphState> state_;
};

// The graph that ops of this thread are recorded into; null when they run.
GraphContext* CurrentGraphContext();

}  // namespace tandem
