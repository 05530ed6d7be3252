// Immediate execution: infers, allocates, runs the CPU kernel.
//
// The hot path is a same-shape elementwise call on small tensors: one pooled block for the output, one indirect call.
#pragma once
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "core/context.h"
#include "core/kernel.h"
#include "core/variable_storage.h"

namespace tandem {

class EagerContext : public Context {
 public:
  absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) override;
  bool executing_eagerly() const override { return true; }
  absl::Status RecordCustom(std::string_view, const Tensors&, Tensors&, BackwardFn, Origin) override { return absl::OkStatus(); }

 private:
  absl::Status DispatchGeneral(const OpCall& call, std::span<TensorRep*> outputs);
  // The state of a random op: one for each op with its attributes, anew after SetRandomSeed.
  StateSlot& State(const OpCall& call);

  std::shared_mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<StateSlot>> states_;
};

// The one of this process.
EagerContext& DefaultEagerContext();

}  // namespace tandem
