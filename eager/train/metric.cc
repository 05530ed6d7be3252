#include "eager/train/metric.h"

#include "core/ops/cast.h"
#include "core/ops/fill.h"
#include "core/status.h"

namespace tandem::metrics {

void Metric::AddSum(const std::string& name, const Shape& shape) {
  const Variable sum(Zeros(shape, kFloat64), {.name = name_ + "/" + name, .trainable = false});
  variables_.push_back(sum);
  state()->Add(name, sum);
}

Tensor Metric::Accumulate(const Tensors& increments) {
  // All updates before the first read: a failing one leaves the others as they were only if nothing was added yet.
  Tensors cast, sums;
  for (const Tensor& increment : increments) cast.push_back(Cast(increment, kFloat64));
  for (size_t i = 0; i < variables_.size(); ++i) sums.push_back(variables_[i].AssignAdd(cast[i]));
  return Cast(ResultOf(sums), kFloat32);
}

Tensor Metric::Result() const {
  Tensors sums;
  for (const Variable& v : variables_) sums.push_back(v.Read());
  return Cast(ResultOf(sums), kFloat32);
}

Tensors Metric::Reset() {
  Tensors states;
  for (Variable& v : variables_) states.push_back(v.Assign(Zeros(v.shape(), kFloat64)));
  return states;
}

}  // namespace tandem::metrics
