#include "core/device_memory.h"

#include <cstring>

#include "core/device_registry.h"

namespace tandem {

void DeviceBlock::Destroy() {
  if (TensorRep* copy = mirror.load(std::memory_order_acquire)) tandem::Unref(copy);
  if (base) device->Release(base, bytes);
  delete this;
}

bool FitsOnDevices(DType dtype) { return DTypeSize(dtype) > 0; }

TensorRep* NewDeviceRep(Device& device, DType dtype, std::span<const int64_t> dims, int64_t count) {
  const auto bytes = CheckedMultiply(count, static_cast<int64_t>(DTypeSize(dtype)));
  if (!bytes) return nullptr;
  void* base = *bytes ? device.Allocate(*bytes) : nullptr;
  if (*bytes && !base) return nullptr;
  auto* block = new DeviceBlock{&device, base, *bytes};
  TensorRep* rep = NewDeviceHeader(dtype, dims, count, base ? base : EmptySentinel(), block);
  if (!rep) block->Unref();
  return rep;
}

absl::StatusOr<TensorRep*> NewPlacedRep(const OpSchema& schema, DType dtype, const Shape& shape, Device* place) {
  const auto count = shape.num_elements();
  TensorRep* rep = !count ? nullptr : place ? NewDeviceRep(*place, dtype, shape.dims(), *count) : NewRep(dtype, shape.dims(), *count);
  if (!rep) return OutOfMemoryError(schema.name(), dtype, shape.dims());
  return rep;
}

absl::StatusOr<Tensor> ToHost(const Tensor& tensor) {
  Device* device = DeviceOf(tensor);
  if (!device) return tensor;
  const TensorRep& from = *tensor.rep();
  TensorRep* to = NewRepLike(from, from.dtype);
  if (!to) return OutOfMemoryError("copy to the host", from.dtype, from.dims_span());
  Tensor copy = Tensor::Adopt(to);
  if (from.count) RETURN_IF_ERROR(device->CopyOut(to->data, from.data, from.bytes()));
  return copy;
}

absl::StatusOr<Tensor> ToDevice(const Tensor& tensor, Device& device) {
  if (!tensor.defined() || tensor.symbolic() || DeviceOf(tensor) == &device) return tensor;
  ASSIGN_OR_RETURN(const Tensor host, ToHost(tensor));
  const TensorRep& from = *host.rep();
  if (!FitsOnDevices(from.dtype))
    return InvalidArgument("copy to ", device.short_name(), ": a ", Absl(DTypeName(from.dtype)), " tensor stays on the host");
  TensorRep* to = NewDeviceRep(device, from.dtype, from.dims_span(), from.count);
  if (!to) return OutOfMemoryError(absl::StrCat("copy to ", device.short_name()), from.dtype, from.dims_span());
  Tensor copy = Tensor::Adopt(to);
  if (from.count) RETURN_IF_ERROR(device.CopyIn(to->data, from.data, from.bytes()));
  return copy;
}

absl::StatusOr<Tensor> ToPlace(const Tensor& tensor, Device* place) {
  if (!tensor.defined() || tensor.symbolic() || !FitsOnDevices(tensor.dtype())) return tensor;
  return place ? ToDevice(tensor, *place) : ToHost(tensor);
}

absl::StatusOr<const void*> HostElements(const TensorRep& rep) {
  DeviceBlock& block = *rep.block;
  if (rep.count == 0) return EmptySentinel();
  TensorRep* mirror = block.mirror.load(std::memory_order_acquire);
  if (!mirror) {
    const int64_t dims[] = {block.bytes};
    Tensor copy = Tensor::Adopt(NewRep(kUint8, dims, block.bytes));
    if (!copy.defined()) return OutOfMemoryError("copy to the host", rep.dtype, rep.dims_span());
    RETURN_IF_ERROR(block.device->CopyOut(copy.rep()->data, block.base, block.bytes));
    // Another thread may have been first: its copy has the same bytes.
    if (block.mirror.compare_exchange_strong(mirror, copy.rep(), std::memory_order_acq_rel)) mirror = copy.release();
  }
  return static_cast<const void*>(mirror->as<char>() + (static_cast<const char*>(rep.data) - static_cast<const char*>(block.base)));
}

}  // namespace tandem
