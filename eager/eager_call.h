// What the ways to run one eager call share.
#pragma once
#include <utility>

#include "core/context.h"
#include "core/infer.h"
#include "core/kernel.h"

namespace tandem {

// Where eager kernels run: the process, with anonymous variables.
KernelEnv& EagerKernelEnv();

// What inference sees of a call's operands. FAILED_PRECONDITION names the one that is symbolic.
absl::Status EagerInferInputs(const OpCall& call, absl::InlinedVector<InferInput, 4>* inputs);

// Drops the outputs that were made, unless disarmed: a failed call sets none.
struct OutputReleaser {
  std::span<TensorRep*> outputs;
  bool armed = true;
  ~OutputReleaser() {
    if (!armed) return;
    for (TensorRep*& rep : outputs)
      if (rep) Unref(std::exchange(rep, nullptr));
  }
};

}  // namespace tandem
