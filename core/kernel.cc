#include "core/kernel.h"

#include <cstring>
#include <mutex>

namespace tandem {
namespace {

constexpr int kMaxOps = 4096;

struct KernelTable {
  std::atomic<const CpuKernel*> rows[kMaxOps] = {};
  KernelProvider provider = nullptr;
};
KernelTable& table() {
  static KernelTable* t = new KernelTable;
  return *t;
}

}  // namespace

void SetKernelProvider(KernelProvider provider) { table().provider = provider; }

const CpuKernel& GetCpuKernel(OpId op) {
  static KernelTable& t = table();
  auto& row = t.rows[static_cast<int>(op)];
  if (const CpuKernel* k = row.load(std::memory_order_acquire)) [[likely]] return *k;
  auto made = std::make_unique<CpuKernel>();
  if (static_cast<int>(op) < NumBuiltinOps() && t.provider) t.provider(op, *made);
  const CpuKernel* expected = nullptr;
  if (row.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *expected;
}

absl::Status AddKernel(OpId op, const CpuKernel& kernel) {
  if (static_cast<int>(op) >= NumOps()) return InvalidArgument("AddKernel: no such op");
  auto made = std::make_unique<CpuKernel>(kernel);
  const CpuKernel* expected = nullptr;
  if (!table().rows[static_cast<int>(op)].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
    return absl::AlreadyExistsError(absl::StrCat(GetOp(op).name(), ": has kernels already"));
  made.release();
  return absl::OkStatus();
}

KernelFn FindKernel(OpId op, const CallSignature& signature) {
  const int attr = GetOp(op).kernel_type_attr();
  return GetCpuKernel(op).find(attr < 0 ? DType::kInvalid : signature.types[attr]);
}

absl::Status NoKernelError(const OpSchema& schema, DType dtype) {
  return absl::UnimplementedError(absl::StrCat(schema.name(), ": no kernel for ", std::string(DTypeName(dtype)), " on cpu:0"));
}

absl::Status OutOfMemoryError(std::string_view op, DType dtype, std::span<const int64_t> dims) {
  const auto count = CheckedNumElements(dims);
  const std::string what = absl::StrCat(std::string(op), ": ", std::string(DTypeName(dtype)), DimsToString(dims));
  if (!count) return absl::InvalidArgumentError(absl::StrCat(what, " has more than 2^63 - 1 elements"));
  const auto bytes = CheckedMultiply(*count, static_cast<int64_t>(std::max<size_t>(DTypeSize(dtype), 1)));
  if (!bytes) return absl::ResourceExhaustedError(absl::StrCat(what, " needs more than 2^63 - 1 bytes"));
  return absl::ResourceExhaustedError(absl::StrCat(what, " needs ", *bytes, " bytes, more than can be had"));
}

Tensor KernelCall::owned_input(int i) const {
  TensorRep* rep = inputs[i];
  if (rep->storage != Storage::kArena) return Tensor::Share(rep);
  TensorRep* copy = NewRepLike(*rep, rep->dtype);
  if (copy && rep->bytes()) std::memcpy(copy->data, rep->data, rep->bytes());
  return Tensor::Adopt(copy);
}

absl::Status KernelCall::Allocate(int i, const Shape& shape, DType dtype) {
  const auto count = shape.num_elements();
  TensorRep* rep = count ? NewRep(dtype, shape.dims(), *count) : nullptr;
  if (!rep) return OutOfMemoryError(schema.name(), dtype, shape.dims());
  if (outputs[i]) Unref(outputs[i]);
  outputs[i] = rep;
  return absl::OkStatus();
}

}  // namespace tandem
