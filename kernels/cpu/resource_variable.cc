#include "core/variable_storage.h"
#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

// Eagerly an empty shared_name makes a variable of its own: handles, not names, are how eager code shares one.
absl::Status VarHandle(KernelCall& call) {
  const auto make = [&] {
    const auto name = call.attr<std::string_view>("shared_name");
    return RefPtr<ResourceBase>(new VariableStorage(std::string(name), call.attr<DType>("dtype"), call.attr<Shape>("shape")));
  };
  const auto name = call.attr<std::string_view>("shared_name");
  if (call.env->anonymous_variables()) {
    call.SetOutput(0, MakeHandle(make()));
    return absl::OkStatus();
  }
  call.SetOutput(0, MakeHandle(call.env->resources().LookupOrCreate(call.attr<std::string_view>("container"), name, make)));
  return absl::OkStatus();
}

absl::Status ReadVariable(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  ASSIGN_OR_RETURN(Tensor value, variable->Read());
  call.SetOutput(0, std::move(value));
  return absl::OkStatus();
}

absl::Status AssignVariable(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  return variable->Assign(call.owned_input(1));
}

}  // namespace

void VarHandleOpCpu(CpuKernel& k) { k.SetAll(VarHandle); }
void ReadVariableOpCpu(CpuKernel& k) { k.SetAll(ReadVariable); }
void AssignVariableOpCpu(CpuKernel& k) { k.SetAll(AssignVariable); }

}  // namespace tandem
