#include "eager/train/fused_update.h"

#include "core/kernel.h"
#include "core/variable_storage.h"
#include "eager/eager_call.h"

namespace tandem::train {

void FusedUpdate::Begin(std::string_view op, bool flag, DType dtype) {
  changed_ |= op_ != op || flag_ != flag || dtype_ != dtype;
  op_ = op;
  flag_ = flag;
  dtype_ = dtype;
  num_handles_ = 0;
  gradients_.clear();
}

void FusedUpdate::Add(const Variable& variable, std::span<const Variable> slots, const Tensor& gradient) {
  const auto add = [&](TensorRep* handle) {
    if (num_handles_ == args_.size()) args_.push_back(nullptr);
    changed_ |= args_[num_handles_] != handle;
    args_[num_handles_++] = handle;
  };
  add(variable.handle().rep());
  for (const Variable& slot : slots) add(slot.handle().rep());
  gradients_.push_back(gradient.rep());
}

absl::Status FusedUpdate::Check(std::span<const AttrRef> attrs) {
  std::vector<InferInput> inputs;
  for (const TensorRep* rep : args_) {
    inputs.push_back(InferInput::Of(*rep));
    if (rep->dtype == kResource && rep->count == 1 && !rep->symbolic())
      if (const auto* variable = dynamic_cast<const VariableStorage*>(rep->as<ResourceBase*>()[0])) inputs.back().handle = &variable->info();
  }
  InferContext infer(GetOp(Op<"FusedResourceApply">()), inputs, attrs);
  RETURN_IF_ERROR(infer.Run());
  signature_ = infer.signature();
  return absl::OkStatus();
}

absl::Status FusedUpdate::Run(std::span<const Tensor> scalars) {
  changed_ |= args_.size() != num_handles_;
  args_.resize(num_handles_);
  for (const Tensor& scalar : scalars) args_.push_back(scalar.rep());
  args_.insert(args_.end(), gradients_.begin(), gradients_.end());
  const AttrRef attrs[] = {dtype_, static_cast<int64_t>(gradients_.size()), std::string_view(op_), flag_};
  absl::Status status = changed_ ? Check(attrs) : absl::OkStatus();
  if (status.ok()) {
    const KernelFn kernel = GetCpuKernel(Op<"FusedResourceApply">()).find(dtype_);
    KernelCall call(GetOp(Op<"FusedResourceApply">()), args_, {}, attrs, &signature_, &EagerKernelEnv());
    status = kernel ? kernel(call) : NoKernelError(call.schema, dtype_);
  }
  changed_ = !status.ok();
  args_.resize(num_handles_);
  gradients_.clear();
  return status;
}

}  // namespace tandem::train
