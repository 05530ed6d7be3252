#include "core/host_function.h"

#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

absl::Status CallFunction(KernelCall& call) {
  Tensors inputs(call.inputs.size()), outputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = call.owned_input(static_cast<int>(i));
    if (!inputs[i].defined()) return OutOfMemoryError(call.schema.name(), call.input(static_cast<int>(i)).dtype, call.input(static_cast<int>(i)).dims_span());
  }
  const auto token = call.attr<std::string_view>("token");
  RETURN_IF_ERROR(call.env->CallHostFunction(token, inputs, &outputs));
  RETURN_IF_ERROR(CheckHostResults(token, outputs, call.attr<std::span<const DType>>("Tout")));
  for (size_t i = 0; i < outputs.size(); ++i) call.SetOutput(static_cast<int>(i), std::move(outputs[i]));
  return absl::OkStatus();
}

}  // namespace

void EagerPyFuncCpu(CpuKernel& k) { k.SetAll(CallFunction); }

}  // namespace tandem
