#include "eager/train/learning_rate.h"

#include <numbers>

#include "core/context.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/math.h"

namespace tandem::train {
namespace {

void CheckSteps(std::string_view name, int64_t steps) {
  if (steps <= 0) ThrowError(InvalidArgument(Absl(name), ": the number of steps is ", steps, ", must be positive"));
}

// step / steps, in float32.
Tensor Fraction(const Variable& step, int64_t steps, bool staircase = false) {
  const Tensor p = Cast(step.Read(), kFloat32) / static_cast<double>(steps);
  return staircase ? Floor(p) : p;
}

}  // namespace

Schedule PiecewiseConstant(const Variable& step, const std::vector<int64_t>& boundaries, const std::vector<double>& values) {
  if (values.size() != boundaries.size() + 1)
    ThrowError(InvalidArgument("PiecewiseConstant: ", values.size(), " values for ", boundaries.size(), " boundaries, must be one more"));
  for (size_t i = 1; i < boundaries.size(); ++i)
    if (boundaries[i] <= boundaries[i - 1])
      ThrowError(InvalidArgument("PiecewiseConstant: boundaries[", i, "] is ", boundaries[i], ", must be greater than ", boundaries[i - 1]));
  return [=] {
    const Tensor at = Cast(step.Read(), kInt64);
    Tensor rate(static_cast<float>(values.back()));
    for (size_t i = boundaries.size(); i-- > 0;) rate = Select(LessEqual(at, boundaries[i]), Tensor(static_cast<float>(values[i])), rate);
    return rate;
  };
}

Schedule ExponentialDecay(HyperParameter rate, const Variable& step, int64_t decay_steps, double decay_rate, DecayOptions options) {
  CheckSteps("ExponentialDecay", decay_steps);
  return [=] { return rate.Value(kFloat32) * Pow(Tensor(static_cast<float>(decay_rate)), Fraction(step, decay_steps, options.staircase)); };
}

Schedule InverseTimeDecay(HyperParameter rate, const Variable& step, int64_t decay_steps, double decay_rate, DecayOptions options) {
  CheckSteps("InverseTimeDecay", decay_steps);
  return [=] { return rate.Value(kFloat32) / (Fraction(step, decay_steps, options.staircase) * decay_rate + 1.); };
}

Schedule PolynomialDecay(HyperParameter rate, const Variable& step, int64_t decay_steps, PolynomialOptions options) {
  CheckSteps("PolynomialDecay", decay_steps);
  return [=] {
    Tensor p = Fraction(step, decay_steps);
    if (options.cycle) p = p / Maximum(Ceil(p), 1.);
    else p = Minimum(p, 1.);
    return (rate.Value(kFloat32) - options.end_learning_rate) * Pow(1. - p, options.power) + options.end_learning_rate;
  };
}

Schedule CosineDecay(HyperParameter rate, const Variable& step, int64_t decay_steps, CosineOptions options) {
  CheckSteps("CosineDecay", decay_steps);
  return [=] {
    const Tensor half_wave = (Cos(Minimum(Fraction(step, decay_steps), 1.) * std::numbers::pi) + 1.) * 0.5;
    return rate.Value(kFloat32) * (half_wave * (1. - options.alpha) + options.alpha);
  };
}

Schedule WarmUp(HyperParameter rate, const Variable& step, int64_t warmup_steps) {
  CheckSteps("WarmUp", warmup_steps);
  return [=] { return rate.Value(kFloat32) * Minimum(Fraction(step, warmup_steps), 1.); };
}

}  // namespace tandem::train
