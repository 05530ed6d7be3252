#include "core/kernel.h"

namespace tandem {
namespace {

// Output i is input i; a copy only where it lies in an executor's arena.
absl::Status Forward(KernelCall& call, int i) {
  Tensor value = call.owned_input(i);
  if (!value.defined()) return OutOfMemoryError(call.schema.name(), call.input(i).dtype, call.input(i).dims_span());
  call.SetOutput(i, std::move(value));
  return absl::OkStatus();
}

absl::Status Const(KernelCall& call) {
  call.SetOutput(0, call.attr<Tensor>("value"));
  return absl::OkStatus();
}

absl::Status Placeholder(KernelCall& call) {
  return call.Error("must be fed: ", std::string(DTypeName(call.attr<DType>("dtype"))), " ", call.attr<Shape>("shape").ToString());
}

absl::Status ForwardFirst(KernelCall& call) { return Forward(call, 0); }

absl::Status ForwardAll(KernelCall& call) {
  for (size_t i = 0; i < call.inputs.size(); ++i) RETURN_IF_ERROR(Forward(call, static_cast<int>(i)));
  return absl::OkStatus();
}

absl::Status Nothing(KernelCall&) { return absl::OkStatus(); }

}  // namespace

void ConstCpu(CpuKernel& k) { k.SetAll(Const); }
void PlaceholderCpu(CpuKernel& k) { k.SetAll(Placeholder); }
void PlaceholderWithDefaultCpu(CpuKernel& k) { k.SetAll(ForwardFirst); }
void IdentityNCpu(CpuKernel& k) { k.SetAll(ForwardAll); }
void NoOpCpu(CpuKernel& k) { k.SetAll(Nothing); }

// Views: whoever runs them hands the input's elements on.
void IdentityCpu(CpuKernel&) {}
void StopGradientCpu(CpuKernel&) {}
void EnsureShapeCpu(CpuKernel&) {}

}  // namespace tandem
