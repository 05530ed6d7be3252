// Tensors in a device's memory, and copies between it and the host's. Internal: core/device.h is for users.
//
//   ASSIGN_OR_RETURN(Tensor there, ToDevice(host, device));
//   ASSIGN_OR_RETURN(Tensor back, ToHost(there));          // the tensor itself when it is on the host
//
// A device tensor's `data` is an address in the device's memory: the host must not read it.
#pragma once
#include <atomic>
#include <cstdint>

#include "core/status.h"
#include "core/tensor.h"

namespace tandem {

class Device;
class OpSchema;

// A counted block of a device's memory; reps of Storage::kDevice share it.
struct DeviceBlock {
  Device* device;
  void* base;  // null when bytes is 0
  int64_t bytes;
  std::atomic<int32_t> refs = 1;
  // A copy on the host, made when the host first asks for a pointer to the elements. Values do not change, so it stays
  // right.
  std::atomic<TensorRep*> mirror = nullptr;

  void Ref() { refs.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
  }

 private:
  void Destroy();
};

// The device where the elements lie; null for the host, and for symbolic and undefined tensors.
inline Device* DeviceOf(const TensorRep& rep) { return rep.storage == Storage::kDevice ? rep.block->device : nullptr; }
inline Device* DeviceOf(const Tensor& t) { return t.defined() ? DeviceOf(*t.rep()) : nullptr; }

// Whether a device may hold elements of this dtype: numbers and bool.
bool FitsOnDevices(DType dtype);
// Uninitialised elements in the device's memory, one reference. Null without memory.
TensorRep* NewDeviceRep(Device& device, DType dtype, std::span<const int64_t> dims, int64_t count);

// The same on a device, or on the host for null; RESOURCE_EXHAUSTED names the op. The shape is fully known.
absl::StatusOr<TensorRep*> NewPlacedRep(const OpSchema& schema, DType dtype, const Shape& shape, Device* place);
// Bit i of a kernel row's mask of operands on the host; its last bit stands for all that follow.
inline bool OnHostMask(uint64_t mask, size_t i) { return mask >> (i < 63 ? i : 63) & 1; }

// RESOURCE_EXHAUSTED without memory; what the device reports. Symbolic and undefined tensors pass.
absl::StatusOr<Tensor> ToHost(const Tensor& tensor);
absl::StatusOr<Tensor> ToDevice(const Tensor& tensor, Device& device);
// To the device, or to the host for null; dtypes that fit on no device stay where they are.
absl::StatusOr<Tensor> ToPlace(const Tensor& tensor, Device* place);
// The elements of a device's tensor for the host to read, valid while its block lives.
absl::StatusOr<const void*> HostElements(const TensorRep& rep);

// For public functions that read elements: the tensor, or a copy on the host. Throws.
inline Tensor OnHost(const Tensor& tensor) {
  if (!tensor.defined() || tensor.rep()->storage != Storage::kDevice) [[likely]] return tensor;
  return ValueOrThrow(ToHost(tensor));
}

}  // namespace tandem
