// Functions of a graph's library, as kernels run them.
//
//   ASSIGN_OR_RETURN(auto body, call.env->functions()->Find(call.attr<FuncAttr>("body"), Passing::kTake));   // once, kept in plan_state
//   RETURN_IF_ERROR(body->Call(*call.env, args, results));                                                   // as often as it takes
//
// The Session, the reference run and the eager context each have a runner of their own; kernels of ops with functions as
// attributes (PartitionedCall, If, While, …) are the same for all three.
#pragma once
#include <memory>
#include <span>

#include "core/attr.h"
#include "core/kernel.h"

namespace tandem {

// What becomes of the arguments of a call.
enum class Passing : uint8_t {
  kBorrow,  // they stay the caller's
  kTake,    // each entry is a reference that the call takes over, whatever the outcome; entries become null. The function
            // may write what nobody else refers to in place.
};

// A function made ready to run, with what it keeps from one call to the next. Used by one call at a time; a function
// that calls itself has one for each level.
class FunctionInstance {
 public:
  virtual ~FunctionInstance() = default;
  virtual int num_args() const = 0;
  virtual int num_results() const = 0;
  // args: num_args() tensors, none in an arena, passed as Find was told. results are filled with new references, none on
  // an error. env is that of the calling kernel. INVALID_ARGUMENT when functions call each other too deep; CANCELLED,
  // DEADLINE_EXCEEDED when the Run must end.
  virtual absl::Status Call(KernelEnv& env, std::span<TensorRep*> args, std::span<TensorRep*> results) = 0;
};

class FunctionRunner {
 public:
  virtual ~FunctionRunner() = default;
  // NOT_FOUND names the function; what is wrong with its body is INVALID_ARGUMENT.
  virtual absl::StatusOr<std::unique_ptr<FunctionInstance>> Find(const FuncAttr& function, Passing passing) = 0;
};

// How deep functions may call each other in one Run.
inline constexpr int kMaxFunctionDepth = 200;

// Where eager calls of PartitionedCall and the like find functions. Wiring (tandem.cc); null: nowhere.
void SetEagerFunctions(FunctionRunner* runner);
FunctionRunner* EagerFunctions();

}  // namespace tandem
