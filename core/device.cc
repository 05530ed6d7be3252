#include "core/device.h"

#include "core/context.h"
#include "core/device_registry.h"
#include "core/ops/plumbing.h"
#include "core/scopes.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

Device& Named(std::string_view who, std::string_view text) {
  if (!IsDeviceName(text)) ThrowError(InvalidArgument(Absl(who), ": \"", Absl(text), "\" names no device; \"/cpu:0\" does"));
  const DeviceRequest found = FindDevice(text);
  if (!found.device) ThrowError(NoDeviceError(who, text));
  return *found.device;
}

}  // namespace

DeviceStatistics GetDeviceStatistics(std::string_view device) { return Named("GetDeviceStatistics", device).statistics(); }

void SynchronizeDevice(std::string_view device) {
  if (FindDevice(device).kind == DeviceRequest::kCpu) return;
  ThrowIfError(Named("SynchronizeDevice", device).Synchronize());
}

std::string Tensor::device() const {
  const TensorRep& rep = *checked();
  if (rep.symbolic()) {
    const SymbolicGraph* graph = GraphOf(*this);
    return graph ? graph->NodeDevice(rep.symbol().node) : "";
  }
  const Device* device = DeviceOf(rep);
  return device ? device->name() : std::string(kCpuName);
}

Tensor Tensor::Gpu(int index) const {
  checked();
  const std::string name = absl::StrCat("gpu:", index);
  if (index < 0) ThrowError(InvalidArgument("Gpu: index is ", index, ", must be 0 or more"));
  // A graph may be built where it does not run.
  if (!symbolic() && ExecutingEagerly() && FindDevice(name).kind != DeviceRequest::kDevice) ThrowError(NoDeviceError("Gpu", name));
  DeviceScope scope(name);
  return Identity(*this);
}

Tensor Tensor::Cpu() const {
  checked();
  DeviceScope scope("cpu:0");
  return Identity(*this);
}

}  // namespace tandem
