#include "eager/eager_call.h"

#include "core/function.h"
#include "core/host_function.h"
#include "core/symbolic.h"
#include "core/variable_storage.h"

namespace tandem {
namespace {

class EagerEnv : public KernelEnv {
 public:
  ResourceManager& resources() override { return resources_; }
  bool anonymous_variables() const override { return true; }
  absl::Status CallHostFunction(std::string_view token, std::span<const Tensor> inputs, Tensors* outputs) override {
    return RunHostFunction(token, inputs, outputs);
  }
  FunctionRunner* functions() override { return EagerFunctions(); }

 private:
  ResourceManager resources_;
};

}  // namespace

KernelEnv& EagerKernelEnv() {
  static EagerEnv* env = new EagerEnv;
  return *env;
}

absl::Status EagerInferInputs(const OpCall& call, absl::InlinedVector<InferInput, 4>* inputs) {
  const OpSchema& schema = GetOp(call.op);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const TensorRep& rep = *call.inputs[i];
    if (rep.symbolic()) [[unlikely]]
      return NoValueError(schema.name(), schema.plain() && i < schema.inputs().size() ? std::string_view(schema.inputs()[i].name) : "an input", rep);
    inputs->push_back(InferInput::Of(rep));
    if (rep.dtype == kResource && rep.count == 1)
      if (const auto* variable = dynamic_cast<const VariableStorage*>(rep.as<ResourceBase*>()[0])) inputs->back().handle = &variable->info();
  }
  return absl::OkStatus();
}

}  // namespace tandem
