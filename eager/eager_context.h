// Immediate execution: infers, allocates, runs the CPU kernel.
//
// The hot path is a same-shape elementwise call on small tensors: one pooled block for the output, one indirect call.
#pragma once
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "core/context.h"
#include "core/device_registry.h"
#include "core/kernel.h"
#include "core/variable_storage.h"

namespace tandem {

class EagerContext : public Context {
 public:
  absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) override;
  bool executing_eagerly() const override { return true; }
  absl::Status RecordCustom(std::string_view, const Tensors&, Tensors&, BackwardFn, Origin) override { return absl::OkStatus(); }

  // A call with operands in a device's memory, or with a device to go to: placed by the rules of core/device.h, copies
  // inserted (eager/placed_dispatch.cc).
  absl::Status DispatchPlaced(const OpCall& call, std::span<TensorRep*> outputs);

 private:
  absl::Status DispatchGeneral(const OpCall& call, std::span<TensorRep*> outputs);
  // The CPU runs it. Inputs lie in the host's memory, but for ops that do not read their elements.
  absl::Status DispatchHere(const OpCall& call, std::span<TensorRep*> outputs);
  absl::Status DispatchForward(const OpCall& call, std::span<TensorRep*> outputs, const DeviceRequest& wish);
  // *placed: whether the device has a kernel for the call.
  absl::Status DispatchOnDevice(const OpCall& call, std::span<TensorRep*> outputs, Device& device, bool* placed);
  // The state of a random op: one for each op with its attributes, anew after SetRandomSeed.
  StateSlot& State(const OpCall& call);

  std::shared_mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<StateSlot>> states_;
};

// The one of this process.
EagerContext& DefaultEagerContext();
// In its place once there are devices, or placement is strict or reported (core/device.h): thinks about where each op
// runs, and forwards to it.
Context& PlacingEagerContext();

}  // namespace tandem
