// The context that records: each OpCall becomes a node of the graph, its outputs symbolic tensors.
//
// Values from outside become nodes where an op first reads them: an eager tensor a Const (one for each tensor), an eager
// variable's handle a VarHandleOp that shares its storage. Names come from the op (or the name the call gives) and the
// name scopes; control inputs and the device from their scopes (core/scopes.h).
#pragma once
#include "core/context.h"
#include "core/function_tracer.h"
#include "core/host_function.h"
#include "graph/graph_state.h"

namespace tandem {

//
// In the body of a function that is traced, tensors of the graphs around it and variables become arguments (captures),
// and ops with state are ordered as the program runs them.
class GraphContext final : public Context, public HostFunctionOwner, public FunctionTracer {
 public:
  explicit GraphContext(RefPtr<GraphState> state, bool ordered = false) : state_(std::move(state)), ordered_(ordered || state_->outer) {}

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
  RandomSeeds& random_seeds() override { return state_->root().seeds; }

  // graph/function_tracing.cc
  TracedFunctions Trace(const std::vector<FunctionToTrace>& functions) override;
  Tensors Inline(const FuncAttr& function, const Tensors& args) override;
  Tensors GradientsOf(const Tensors& ys, const Tensors& xs, const Tensors& dys) override;
  std::vector<std::pair<DType, Shape>> ResultsOf(const FuncAttr& function, const std::vector<Shape>& args) override;
  bool IsStateful(const FuncAttr& function) override;
  std::vector<DType> ArgumentsOf(const FuncAttr& function) override;

  GraphState& state() const { return *state_; }
  // Gradient nodes are recorded while this is set: the forward ops they stem from.
  std::vector<Origin> forward;

  // What was captured, in the order it was met: as the graph around knows it, and the argument here.
  struct Capture {
    Tensor outside;
    int32_t arg;
  };
  const std::vector<Capture>& captures() const { return captures_; }
  // The argument for a tensor from outside: the one that stands for it already, or a new one.
  absl::StatusOr<int32_t> CaptureArg(const Tensor& outside);
  // A tensor that a function gave, as an output here. Takes the lock.
  absl::StatusOr<TensorId> Result(const Tensor& tensor, std::string_view what);

 private:
  absl::StatusOr<TensorId> Input(const OpCall& call, TensorRep* rep, size_t i);
  absl::StatusOr<int32_t> AddArg(DType dtype, const Shape& shape, std::string_view base, const HandleInfo* handle);
  // Control edges so that a node with state runs when the program came to it.
  void Order(Node& node, int32_t id);
  absl::StatusOr<int32_t> AddConstant(const Tensor& value);
  absl::StatusOr<int32_t> AddCaptured(const OpCall& call, TensorRep* rep);
  absl::Status AddControls(const OpCall& call, Node& node);
  absl::StatusOr<int32_t> Record(const OpCall& call);
  void NoteInitializer(int32_t id);
  // The derivative that the user gave for a node, under a key that the node's `_gradient_op_type` names.
  void SetGradient(int32_t id, const std::string& base, BackwardFn backward);

  RefPtr<GraphState> state_;
  const bool ordered_;
  std::vector<Capture> captures_;
  absl::flat_hash_map<std::pair<const void*, int64_t>, int32_t> capture_of_;  // to the position in captures_
  int32_t num_args_ = 0;
  // Bodies inlined here, by the state they were traced in: what a derivative written by the user refers to.
  absl::flat_hash_map<uint64_t, std::vector<int32_t>> inlined_;
  struct Uses {
    int32_t last_write = -1;
    std::vector<int32_t> reads;  // since then
  };
  absl::flat_hash_map<TensorId, Uses> uses_;  // by handle
  int32_t last_effect_ = -1;                  // of nodes without handles
};

// The graph that ops of this thread are recorded into; null when they run.
GraphContext* CurrentGraphContext();

}  // namespace tandem
