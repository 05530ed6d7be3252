#include "core/context.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/fill.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"
#include "core/ops/reduction.h"
#include "core/scopes.h"
#include "core/symbolic.h"
#include "eager/train/optimizers.h"

namespace tandem::train {

AdamOptimizer::AdamOptimizer(HyperParameter learning_rate, AdamOptions options) : AdamOptimizer("Adam", std::move(learning_rate), std::move(options)) {}
AdamOptimizer::AdamOptimizer(std::string name, HyperParameter learning_rate, AdamOptions options)
    : Optimizer(std::move(name), {{"m"}, {"v"}}), learning_rate_(std::move(learning_rate)), options_(std::move(options)) {}

void AdamOptimizer::Begin(bool symbolic) {
  if (beta1_power_.defined()) return;
  beta1_power_ = MakeState("beta1_power", options_.beta1.Value(kFloat32), symbolic);
  beta2_power_ = MakeState("beta2_power", options_.beta2.Value(kFloat32), symbolic);
}

Optimizer::Step AdamOptimizer::PrepareStep(DType dtype) {
  const auto power = [&](const Variable& v) { return dtype == kFloat32 ? v.Read() : Cast(v.Read(), dtype); };
  return {"ResourceApplyAdam", {power(beta1_power_), power(beta2_power_), learning_rate_.Value(dtype), options_.beta1.Value(dtype),
                                options_.beta2.Value(dtype), options_.epsilon.Value(dtype)}};
}

void AdamOptimizer::End() {
  beta1_power_.Assign(Mul(beta1_power_, options_.beta1.Value(kFloat32)));
  beta2_power_.Assign(Mul(beta2_power_, options_.beta2.Value(kFloat32)));
}

AdamWOptimizer::AdamWOptimizer(HyperParameter learning_rate, AdamWOptions options)
    : AdamOptimizer("AdamW", std::move(learning_rate), {std::move(options.beta1), std::move(options.beta2), std::move(options.epsilon)}),
      weight_decay_(std::move(options.weight_decay)) {}

// The decay is a step of gradient descent along the variable itself.
void AdamWOptimizer::UpdateDense(const Variable& variable, std::span<const Variable> slots, const Tensor& gradient, const Step& step) {
  const Tensor rate = Mul(step.scalars[2], weight_decay_.Value(variable.dtype()));
  const Tensor inputs[] = {variable.handle(), rate, variable.Read()};
  RunMany(Op<"ResourceApplyGradientDescent">(), inputs, {false});
  std::vector<ControlInput> decayed;
  if (SymbolicGraph* graph = GraphOf(inputs[2])) decayed.push_back(graph->LastUpdateOf(variable.handle()));
  ControlDependencies after(decayed);
  AdamOptimizer::UpdateDense(variable, slots, gradient, step);
}

LambOptimizer::LambOptimizer(HyperParameter learning_rate, LambOptions options)
    : AdamOptimizer("Lamb", std::move(learning_rate), {std::move(options.beta1), std::move(options.beta2), std::move(options.epsilon)}) {}

void LambOptimizer::UpdateDense(const Variable& variable, std::span<const Variable> slots, const Tensor& gradient, const Step& step) {
  const auto& [power1, power2, rate, beta1, beta2, epsilon] = step.scalars;
  Variable m = slots[0], v = slots[1], var = variable;
  const Tensor value = variable.Read(), one = OnesLike(rate);
  const Tensor new_m = m.Assign(m + (gradient - m) * (one - beta1)), new_v = v.Assign(v + (Square(gradient) - v) * (one - beta2));
  const Tensor direction = new_m / (one - power1) / (Sqrt(new_v / (one - power2)) + epsilon);
  const Tensor var_norm = Sqrt(Sum(Square(value))), norm = Sqrt(Sum(Square(direction)));
  const Tensor ratio = Select(LogicalAnd(Greater(var_norm, 0), Greater(norm, 0)), var_norm / norm, one);
  var.AssignSub(ratio * rate * direction);
}

}  // namespace tandem::train
