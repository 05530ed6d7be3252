#include "eager/train/moving_average.h"

#include "core/context.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/plumbing.h"
#include "core/scopes.h"
#include "core/symbolic.h"

namespace tandem::train {

ExponentialMovingAverage::ExponentialMovingAverage(HyperParameter decay, const Variable& num_updates)
    : decay_(std::move(decay)), num_updates_(num_updates) {}

Variable ExponentialMovingAverage::GetOrMake(const Variable& variable) {
  for (const auto& [of, average] : averages_)
    if (of.handle().rep() == variable.handle().rep()) return average;
  SymbolicGraph* graph = GraphOf(variable.handle());
  std::unique_ptr<ContextScope> eager;
  if (!graph) eager = std::make_unique<ContextScope>(nullptr);
  ControlDependencies none({});
  const Tensor initial = graph ? graph->InitialValueOf(variable.handle()) : variable.Read();
  if (!initial.defined())
    ThrowError(absl::FailedPreconditionError(absl::StrCat("ExponentialMovingAverage: variable \"", variable.name(), "\" has no initial value")));
  Variable average(initial, {.name = absl::StrCat(variable.name(), "/ExponentialMovingAverage"), .trainable = false});
  averages_.emplace_back(variable, average);
  state()->AddSlot(variable, "average", average);
  return average;
}

Tensor ExponentialMovingAverage::Apply(const std::vector<Variable>& variables) {
  std::vector<ControlInput> done;
  Tensor decay = decay_.Value(kFloat32);
  if (num_updates_.defined()) {
    const Tensor n = Cast(num_updates_.Read(), kFloat32);
    decay = Minimum(decay, (n + 1.) / (n + 10.));
  }
  const Tensor rest = 1. - decay;
  for (const Variable& variable : variables) {
    Variable average = GetOrMake(variable);
    const Tensor change = (average - variable.Read()) * (variable.dtype() == kFloat32 ? rest : Cast(rest, variable.dtype()));
    const Tensor after = average.AssignSub(change);
    if (SymbolicGraph* graph = GraphOf(after)) done.push_back(graph->LastUpdateOf(average.handle()));
  }
  ControlDependencies after(done);
  return Identity(Tensor(static_cast<int64_t>(variables.size())), "ExponentialMovingAverage");
}

Variable ExponentialMovingAverage::Average(const Variable& variable) const {
  for (const auto& [of, average] : averages_)
    if (of.handle().rep() == variable.handle().rep()) return average;
  ThrowError(absl::FailedPreconditionError(absl::StrCat("ExponentialMovingAverage: variable \"", variable.name(), "\" was never applied")));
}

}  // namespace tandem::train
