// Metrics: objects that gather a figure over many batches.
//
//   metrics::Mean m("loss");
//   m(0);
//   m(5);
//   m.Result();        // 2.5
//   m({8, 9});
//   m.Result();        // 5.5
//   m.Reset();
//
// A metric's state is sums in float64, so that counts stay exact; an update adds to them and a result is computed from
// them, in float32. The same calls under a GraphScope record: what a call gives there runs the update with it, Result()
// reads without an order of its own, Reset() gives tensors to run. State made eagerly is shared with the graph.
#pragma once
#include <string>
#include <vector>

#include "core/export.h"
#include "core/variable.h"
#include "eager/trackable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::metrics {

struct WeightOptions {
  // How much each sample counts; left out, 1. Of the leading axes of the values, or with sizes of 1 there; over the
  // values' other axes the mean is taken. INVALID_ARGUMENT names both shapes when they do not fit.
  Tensor sample_weight = {};
};

class Metric : public Trackable {
 public:
  // Of all updates so far; 0 where a quotient's divisor is 0.
  Tensor Result() const;
  // Back to the beginning. Gives the state after it.
  Tensors Reset();

  const std::string& name() const { return name_; }
  const std::vector<Variable>& variables() const { return variables_; }

 protected:
  explicit Metric(std::string name) : name_(std::move(name)) {}
  // A sum that starts at 0; Result and Accumulate know them in the order of adding.
  void AddSum(const std::string& name, const Shape& shape);
  // Adds one increment to each sum, in any numeric dtype; gives the result after it.
  Tensor Accumulate(const Tensors& increments);
  virtual Tensor ResultOf(const Tensors& sums) const = 0;

 private:
  std::string name_;
  std::vector<Variable> variables_;
};

}  // namespace tandem::metrics
TANDEM_EXPORT_END
