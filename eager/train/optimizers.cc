#include "eager/train/optimizers.h"

#include "core/context.h"
#include "core/ops/arithmetic.h"

namespace tandem::train {

GradientDescentOptimizer::GradientDescentOptimizer(HyperParameter learning_rate)
    : Optimizer("GradientDescent", {}), learning_rate_(std::move(learning_rate)) {}
Optimizer::Step GradientDescentOptimizer::PrepareStep(DType dtype) { return {"ResourceApplyGradientDescent", {learning_rate_.Value(dtype)}}; }

// Sums commute with a step that is linear in the gradient: rows picked twice may step twice.
bool GradientDescentOptimizer::UpdateSparse(const Variable& variable, std::span<const Variable>, const Tensor& values, const Tensor& indices, const Step& step) {
  const Tensor inputs[] = {variable.handle(), indices, Mul(values, step.scalars[0])};
  RunMany(Op<"ResourceScatterSub">(), inputs);
  return true;
}

MomentumOptimizer::MomentumOptimizer(HyperParameter learning_rate, HyperParameter momentum, MomentumOptions options)
    : Optimizer("Momentum", {{"momentum"}}), learning_rate_(std::move(learning_rate)), momentum_(std::move(momentum)), options_(options) {}
Optimizer::Step MomentumOptimizer::PrepareStep(DType dtype) {
  return {"ResourceApplyMomentum", {learning_rate_.Value(dtype), momentum_.Value(dtype)}, options_.use_nesterov};
}

AdagradOptimizer::AdagradOptimizer(HyperParameter learning_rate, AdagradOptions options)
    : Optimizer("Adagrad", {{"accumulator", options.initial_accumulator_value}}), learning_rate_(std::move(learning_rate)) {}
Optimizer::Step AdagradOptimizer::PrepareStep(DType dtype) { return {"ResourceApplyAdagrad", {learning_rate_.Value(dtype)}, true}; }

RMSPropOptimizer::RMSPropOptimizer(HyperParameter learning_rate, RMSPropOptions options)
    : Optimizer("RMSProp", options.centered ? std::vector<SlotSpec>{{"mg"}, {"rms", 1}, {"momentum"}} : std::vector<SlotSpec>{{"rms", 1}, {"momentum"}}),
      learning_rate_(std::move(learning_rate)), options_(std::move(options)) {}
Optimizer::Step RMSPropOptimizer::PrepareStep(DType dtype) {
  return {options_.centered ? "ResourceApplyCenteredRMSProp" : "ResourceApplyRMSProp",
          {learning_rate_.Value(dtype), options_.decay.Value(dtype), options_.momentum.Value(dtype), options_.epsilon.Value(dtype)}};
}

AdadeltaOptimizer::AdadeltaOptimizer(HyperParameter learning_rate, AdadeltaOptions options)
    : Optimizer("Adadelta", {{"accum"}, {"accum_update"}}), learning_rate_(std::move(learning_rate)), options_(std::move(options)) {}
Optimizer::Step AdadeltaOptimizer::PrepareStep(DType dtype) {
  return {"ResourceApplyAdadelta", {learning_rate_.Value(dtype), options_.rho.Value(dtype), options_.epsilon.Value(dtype)}};
}

FtrlOptimizer::FtrlOptimizer(HyperParameter learning_rate, FtrlOptions options)
    : Optimizer("Ftrl", {{"accum", options.initial_accumulator_value}, {"linear"}}), learning_rate_(std::move(learning_rate)), options_(std::move(options)) {}
Optimizer::Step FtrlOptimizer::PrepareStep(DType dtype) {
  return {"ResourceApplyFtrl", {learning_rate_.Value(dtype), options_.l1_regularization_strength.Value(dtype),
                                options_.l2_regularization_strength.Value(dtype), options_.learning_rate_power.Value(dtype)}};
}

}  // namespace tandem::train
