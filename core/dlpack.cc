#include "core/dlpack.h"

#include <cstring>
#include <memory>

#include "core/device_memory.h"
#include "core/dlpack_abi.h"
#include "core/kernel.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

using dlpack::ManagedTensor;

struct Exported {
  ManagedTensor managed;
  Tensor tensor;
  std::vector<int64_t> dims;
};

struct TypeRow {
  DType dtype;
  uint8_t code, bits;
};
constexpr TypeRow kTypes[] = {
    {kBool, dlpack::kBool, 8},      {kInt8, dlpack::kInt, 8},       {kInt16, dlpack::kInt, 16},    {kInt32, dlpack::kInt, 32},
    {kInt64, dlpack::kInt, 64},     {kUint8, dlpack::kUInt, 8},     {kUint16, dlpack::kUInt, 16},  {kUint32, dlpack::kUInt, 32},
    {kUint64, dlpack::kUInt, 64},   {kFloat16, dlpack::kFloat, 16}, {kFloat32, dlpack::kFloat, 32}, {kFloat64, dlpack::kFloat, 64},
    {kBFloat16, dlpack::kBfloat, 16}, {kComplex64, dlpack::kComplex, 64}, {kComplex128, dlpack::kComplex, 128},
};

bool Compact(const dlpack::TensorView& view) {
  if (!view.strides) return true;
  int64_t stride = 1;
  for (int d = view.ndim; d-- > 0;) {
    if (view.shape[d] != 1 && view.strides[d] != stride) return false;
    stride *= view.shape[d];
  }
  return true;
}

void CopyStrided(const dlpack::TensorView& view, const char* from, char* to, int64_t count, int64_t bytes) {
  std::vector<int64_t> index(view.ndim);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * bytes, from + offset * bytes, bytes);
    for (int d = view.ndim; d-- > 0;) {
      offset += view.strides[d];
      if (++index[d] < view.shape[d]) break;
      offset -= view.strides[d] * view.shape[d];
      index[d] = 0;
    }
  }
}

absl::StatusOr<Tensor> Import(ManagedTensor* managed, bool share) {
  if (!managed) return InvalidArgument("FromDLPack: the capsule is null");
  const dlpack::TensorView& view = managed->view;
  if (view.device.type != dlpack::kCpu && view.device.type != dlpack::kCudaHost)
    return absl::UnimplementedError(absl::StrCat("FromDLPack: the data lies on a device of type ", view.device.type, ", not in the CPU's memory"));
  DType dtype = DType::kInvalid;
  for (const TypeRow& row : kTypes)
    if (row.code == view.dtype.code && row.bits == view.dtype.bits && view.dtype.lanes == 1) dtype = row.dtype;
  if (dtype == DType::kInvalid)
    return absl::UnimplementedError(absl::StrCat("FromDLPack: element type (code ", view.dtype.code, ", ", view.dtype.bits, " bits, ", view.dtype.lanes, " lanes) is not known here"));
  if (view.ndim < 0 || view.ndim > kMaxRank) return InvalidArgument("FromDLPack: rank ", view.ndim, " is not in [0, ", kMaxRank, "]");
  if (view.ndim > 0 && !view.shape) return InvalidArgument("FromDLPack: the shape is null");
  const std::span<const int64_t> dims(view.shape, static_cast<size_t>(view.ndim));
  for (int64_t dim : dims)
    if (dim < 0) return InvalidArgument("FromDLPack: negative dimension ", dim);
  const auto count = CheckedNumElements(dims);
  const auto bytes = count ? CheckedMultiply(*count, static_cast<int64_t>(DTypeSize(dtype))) : std::nullopt;
  if (!bytes) return InvalidArgument("FromDLPack: the shape ", DimsToString(dims), " has more than 2^63 - 1 bytes");
  if (*count && !view.data) return InvalidArgument("FromDLPack: the data is null, the shape is ", DimsToString(dims));
  char* data = *count ? static_cast<char*>(view.data) + view.byte_offset : nullptr;
  const bool compact = Compact(view);
  if (share) {
    if (!compact) return InvalidArgument("FromDLPack: only row-major, compact data can be shared, import a copy");
    if (reinterpret_cast<uintptr_t>(data) % std::min<size_t>(DTypeSize(dtype), 8))
      return InvalidArgument("FromDLPack: the data is not aligned to its elements, import a copy");
    auto external = std::make_unique<ExternalData>();
    external->context = managed;
    external->release = [](void* m) {
      auto* owned = static_cast<ManagedTensor*>(m);
      if (owned->deleter) owned->deleter(owned);
    };
    TensorRep* rep = NewExternal(dtype, dims, *count, data, external.get());
    if (!rep) return OutOfMemoryError("FromDLPack", dtype, dims);
    external.release();
    return Tensor::Adopt(rep);
  }
  TensorRep* rep = NewRep(dtype, dims, *count);
  if (!rep) return OutOfMemoryError("FromDLPack", dtype, dims);
  if (*count && compact) std::memcpy(rep->data, data, *bytes);
  else if (*count) CopyStrided(view, data, static_cast<char*>(rep->data), *count, static_cast<int64_t>(DTypeSize(dtype)));
  if (managed->deleter) managed->deleter(managed);
  return Tensor::Adopt(rep);
}

}  // namespace

DLManagedTensor* ToDLPack(const Tensor& tensor) {
  (void)tensor.shape();  // throws when undefined
  if (tensor.symbolic()) ThrowError(NoValueError("ToDLPack", "tensor", *tensor.rep()));
  const Tensor host = OnHost(tensor);
  TensorRep& rep = *host.rep();
  const TypeRow* type = nullptr;
  for (const TypeRow& row : kTypes)
    if (row.dtype == rep.dtype) type = &row;
  if (!type) ThrowError(InvalidArgument("ToDLPack: a ", std::string(DTypeName(rep.dtype)), " tensor has no DLPack form"));
  auto* out = new Exported{{}, host, {rep.dims(), rep.dims() + rep.rank}};
  out->managed.view = {rep.data, {dlpack::kCpu, 0}, rep.rank, {type->code, type->bits, 1}, out->dims.data(), nullptr, 0};
  out->managed.manager_ctx = out;
  out->managed.deleter = [](ManagedTensor* self) { delete static_cast<Exported*>(self->manager_ctx); };
  return reinterpret_cast<DLManagedTensor*>(&out->managed);
}

Tensor FromDLPack(DLManagedTensor* capsule, FromDLPackOptions options) {
  return ValueOrThrow(Import(reinterpret_cast<ManagedTensor*>(capsule), options.share));
}

}  // namespace tandem
