// Exponential moving averages of variables: what a model is evaluated with after noisy training.
//
//   train::ExponentialMovingAverage average(0.999);
//   average.Apply(model.variables());                 // after each step
//   average.Average(w);                               // the variable that holds w's
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/export.h"
#include "eager/trackable.h"
#include "eager/train/hyper_parameter.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

class ExponentialMovingAverage : public Trackable {
 public:
  // With num_updates, a variable that counts steps, the decay is min(decay, (1 + num_updates) / (10 + num_updates)).
  explicit ExponentialMovingAverage(HyperParameter decay, const Variable& num_updates = {});

  // average -= (1 - decay) (average - value), for each variable. The first call makes the averages, at the variables'
  // values (in a graph: their initial ones). Gives the number of variables: in a graph the tensor whose Run updates.
  Tensor Apply(const std::vector<Variable>& variables);
  // FAILED_PRECONDITION for a variable that was never applied.
  Variable Average(const Variable& variable) const;

 private:
  Variable GetOrMake(const Variable& variable);
  HyperParameter decay_;
  Variable num_updates_;
  std::vector<std::pair<Variable, Variable>> averages_;
};

}  // namespace tandem::train
TANDEM_EXPORT_END
