// Learning rates that change with the step: functions of a step variable, for both modes. Formulas of tf.compat.v1.train.
//
//   Variable step = train::GetOrCreateGlobalStep();
//   train::AdamOptimizer optimizer(train::WarmUp(train::CosineDecay(0.001, step, 10000), step, 500));
//   train::ExponentialDecay(0.1, step, 1000, 0.96)();      // the rate now
//
// Each gives a callable: called, it reads the step and gives a float32 scalar; in a graph it records that.
#pragma once
#include <functional>
#include <vector>

#include "core/export.h"
#include "eager/train/hyper_parameter.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

using Schedule = std::function<Tensor()>;

// values[i] while step <= boundaries[i], the last value behind them all. INVALID_ARGUMENT unless there is one value more
// than boundaries, and these rise.
Schedule PiecewiseConstant(const Variable& step, const std::vector<int64_t>& boundaries, const std::vector<double>& values);

struct DecayOptions {
  bool staircase = false;  // step / decay_steps rounded down
};
// rate * decay_rate ^ (step / decay_steps)
Schedule ExponentialDecay(HyperParameter rate, const Variable& step, int64_t decay_steps, double decay_rate, DecayOptions options = {});
// rate / (1 + decay_rate * step / decay_steps)
Schedule InverseTimeDecay(HyperParameter rate, const Variable& step, int64_t decay_steps, double decay_rate, DecayOptions options = {});

struct PolynomialOptions {
  double end_learning_rate = 0.0001, power = 1;
  bool cycle = false;  // past decay_steps: the span grows by as much, instead of the rate staying at its end
};
// (rate - end) * (1 - step / decay_steps) ^ power + end
Schedule PolynomialDecay(HyperParameter rate, const Variable& step, int64_t decay_steps, PolynomialOptions options = {});

struct CosineOptions {
  double alpha = 0;  // the last rate, as a part of the first
};
// rate * ((1 - alpha) * (1 + cos(pi * min(step / decay_steps, 1))) / 2 + alpha)
Schedule CosineDecay(HyperParameter rate, const Variable& step, int64_t decay_steps, CosineOptions options = {});

// Before warmup_steps a line from 0 to rate; then rate, which may be a schedule itself.
Schedule WarmUp(HyperParameter rate, const Variable& step, int64_t warmup_steps);

}  // namespace tandem::train
TANDEM_EXPORT_END
