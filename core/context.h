// Dispatch: an OpCall goes to the context on top of the calling thread's stack. Three exist: eager executes, graph
// records a node, tape forwards to the context below and records for differentiation.
//
//   Tensor MatMul(const Tensor& a, const Tensor& b, MatMulOptions options, Origin origin) {
//     return Run(Op<"MatMul">(), {a, b}, {options.transpose_a, options.transpose_b}, origin);
//   }
#pragma once
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/op.h"
#include "core/operand.h"
#include "core/random_seed.h"
#include "core/status.h"

namespace tandem {

// One call of one op. Borrows everything from the caller: who keeps an input takes a reference, who keeps attributes
// copies them into AttrValues.
struct OpCall {
  OpId op;
  std::span<TensorRep* const> inputs;    // never null
  std::span<const AttrRef> attrs;        // the explicit ones, all of them, in schema order
  Origin origin;
  std::string_view name = {};            // the node's name, where the user gave one
};

// The derivative of a function that the user differentiates himself: dy of every output (undefined = zero) to dx of
// every input (undefined = none).
using BackwardFn = std::function<Tensors(const Tensors& dy)>;

class Context {
 public:
  virtual ~Context() = default;
  // Fills outputs[0..n) with new references; n is the op's number of outputs for this call (NumOutputs). On an error no
  // output is set.
  virtual absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) = 0;
  virtual bool executing_eagerly() const = 0;
  // The context that executes or records in the end: a tape's is what it forwards to.
  virtual Context& base() { return *this; }
  // Outputs that count as a function of inputs with the given derivative. Replaces them where the context needs to.
  virtual absl::Status RecordCustom(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward,
                                    Origin origin) = 0;
  // Where random ops made under this context get their seeds: a graph's own, eagerly the process's.
  virtual RandomSeeds& random_seeds() { return EagerRandomSeeds(); }
};

// The top of this thread's stack; the process-wide eager context at the bottom.
Context& CurrentContext();
// Wiring (tandem.cc).
void SetDefaultContext(Context* eager);
// Wiring too: the context at the bottom once there is something to decide about placement (core/device.h), so that ops
// of a process without devices never ask.
void SetPlacingContext(Context* placing);
void UsePlacingContext();
bool ExecutingEagerly();

// Pushes a context for the life of the scope. Scopes end in reverse order, on the thread that made them.
class ContextScope {
 public:
  explicit ContextScope(Context* context) : previous_(thread_state.context) { thread_state.context = context; }
  ~ContextScope() { thread_state.context = previous_; }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  Context* previous_;
};

// How many outputs this call has: from attributes and the number of inputs.
absl::StatusOr<int> NumOutputs(const OpSchema& schema, int num_inputs, std::span<const AttrRef> attrs);

// Runs an op with one output. Operands: tensors, variables (read), scalars (weak). Throws Error.
Tensor Run(OpId op, std::initializer_list<Operand> inputs, std::initializer_list<AttrRef> attrs = {}, Origin origin = {},
           std::string_view name = {});
// An op with any number of inputs and outputs.
Tensors RunMany(OpId op, std::span<const Tensor> inputs, std::initializer_list<AttrRef> attrs = {}, Origin origin = {},
                std::string_view name = {});
// One output, inputs in a list.
Tensor RunList(OpId op, std::span<const Tensor> inputs, std::initializer_list<AttrRef> attrs = {}, Origin origin = {});
// The same without throwing, for code that dispatches calls read from elsewhere.
absl::Status DispatchCall(const OpCall& call, std::span<TensorRep*> outputs);

// The value of an operand as a tensor: a variable is read, a scalar takes dtype `like` (kInvalid: its own).
Tensor ToTensor(const Operand& operand, DType like = DType::kInvalid);

}  // namespace tandem
