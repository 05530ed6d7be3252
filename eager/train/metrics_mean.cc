#include "eager/train/metrics_mean.h"

#include <numeric>

#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/gather.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/search.h"
#include "core/status.h"

namespace tandem::metrics {
namespace {

struct Weighted {
  Tensor total, count;
};

// What one update adds: the sum of the values, each by its weight, and of the weights.
Weighted Weigh(const std::string& metric, const Tensor& given, const Tensor& sample_weight) {
  Tensor values = Cast(given, kFloat64);
  if (!sample_weight.defined()) return {tandem::Sum(values), Size(values, kInt64)};
  Tensor weights = Cast(sample_weight, kFloat64);
  // [batch, 1] weighs [batch].
  if (weights.rank() > 0 && weights.rank() == values.rank() + 1 && weights.dim(-1) == 1) weights = Squeeze(weights, {-1});
  const Shape v = values.shape(), w = weights.shape();
  bool fits = !v.known_rank() || !w.known_rank() || w.rank() <= v.rank();
  for (int i = 0; fits && v.known_rank() && w.known_rank() && i < w.rank(); ++i) fits = w[i] == 1 || w[i] < 0 || v[i] < 0 || w[i] == v[i];
  if (!fits)
    ThrowError(InvalidArgument(metric, ": sample_weight is ", sample_weight.shape().ToString(), ", the values are ", given.shape().ToString()));
  if (v.known_rank() && w.known_rank() && w.rank() > 0 && w.rank() < v.rank()) {
    std::vector<int64_t> rest(v.rank() - w.rank());
    std::iota(rest.begin(), rest.end(), int64_t{w.rank()});
    values = tandem::Mean(values, Tensor(rest));
  }
  return {tandem::Sum(values * weights), tandem::Sum(OnesLike(values) * weights)};
}

void CheckSameShape(const std::string& metric, const Tensor& labels, const Tensor& predictions) {
  if (!labels.shape().CompatibleWith(predictions.shape()))
    ThrowError(InvalidArgument(metric, ": shapes differ: labels is ", labels.shape().ToString(), ", predictions is ", predictions.shape().ToString()));
}

// Both in the dtype in which they can be compared: the predictions'.
Tensor LabelsLike(const Tensor& labels, const Tensor& predictions) { return Cast(labels, predictions.dtype()); }

Tensor Difference(const std::string& metric, const Tensor& labels, const Tensor& predictions) {
  CheckSameShape(metric, labels, predictions);
  return Cast(predictions, kFloat64) - Cast(labels, kFloat64);
}

// [..., 1] is [...] where predictions have one axis more.
Tensor ClassNumbers(const std::string& metric, const Tensor& labels, const Tensor& predictions) {
  const int rank = predictions.rank();
  Tensor y = labels;
  if (rank > 0 && y.rank() == rank && (y.dim(-1) == 1 || y.dim(-1) < 0)) y = Squeeze(y, {-1});
  Shape rows = predictions.shape();
  if (rank == 0) ThrowError(InvalidArgument(metric, ": predictions must be [..., classes], are []"));
  if (rank > 0) {
    rows = Shape(rows.dims().subspan(0, rank - 1));
    if (!y.shape().CompatibleWith(rows))
      ThrowError(InvalidArgument(metric, ": labels are ", labels.shape().ToString(), ", predictions are ", predictions.shape().ToString(),
                                 ": one label is needed for each row of predictions"));
  }
  return y;
}

// classes: int[batch], predictions: [batch, C] -> bool[batch]
Tensor InTopK(const std::string& metric, const Tensor& classes, const Tensor& predictions, int64_t k) {
  if (predictions.rank() >= 0 && predictions.rank() != 2)
    ThrowError(InvalidArgument(metric, ": predictions must be [batch, classes], are ", predictions.shape().ToString()));
  const Tensor own = Gather(predictions, ExpandDims(classes, 1), 1, {.batch_dims = 1});  // [batch, 1]
  const Tensor greater = tandem::Sum(Cast(predictions > own, kInt64), 1);
  return LogicalAnd(greater < k, Squeeze(IsFinite(own), {1}));
}

}  // namespace

Mean::Mean(std::string name) : Metric(std::move(name)) {
  AddSum("total", {});
  AddSum("count", {});
}
Tensor Mean::operator()(const Tensor& values, const WeightOptions& options) {
  const Weighted w = Weigh(name(), values, options.sample_weight);
  return Accumulate({w.total, w.count});
}
Tensor Mean::ResultOf(const Tensors& sums) const { return DivNoNan(sums[0], sums[1]); }

Sum::Sum(std::string name) : Metric(std::move(name)) { AddSum("total", {}); }
Tensor Sum::operator()(const Tensor& values, const WeightOptions& options) {
  return Accumulate({Weigh(name(), values, options.sample_weight).total});
}
Tensor Sum::ResultOf(const Tensors& sums) const { return sums[0]; }

Tensor MeanOfPairs::operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options) {
  if (!labels.defined() || !predictions.defined()) ThrowError(absl::FailedPreconditionError(absl::StrCat(name(), ": an undefined tensor")));
  return Mean::operator()(Values(labels, predictions), options);
}

Tensor Accuracy::Values(const Tensor& labels, const Tensor& predictions) const {
  CheckSameShape(name(), labels, predictions);
  return LabelsLike(labels, predictions) == predictions;
}

Tensor BinaryAccuracy::Values(const Tensor& labels, const Tensor& predictions) const {
  CheckSameShape(name(), labels, predictions);
  const Tensor p = Cast(predictions, kFloat32);
  return Cast(p > threshold_, kFloat32) == Cast(labels, kFloat32);
}

Tensor CategoricalAccuracy::Values(const Tensor& labels, const Tensor& predictions) const {
  CheckSameShape(name(), labels, predictions);
  return ArgMax(labels, -1) == ArgMax(predictions, -1);
}

Tensor SparseCategoricalAccuracy::Values(const Tensor& labels, const Tensor& predictions) const {
  const Tensor y = ClassNumbers(name(), labels, predictions);
  return Cast(ArgMax(predictions, -1), kFloat64) == Cast(y, kFloat64);
}

Tensor TopKCategoricalAccuracy::Values(const Tensor& labels, const Tensor& predictions) const {
  CheckSameShape(name(), labels, predictions);
  return InTopK(name(), ArgMax(labels, -1), predictions, k_);
}

Tensor SparseTopKCategoricalAccuracy::Values(const Tensor& labels, const Tensor& predictions) const {
  return InTopK(name(), ClassNumbers(name(), labels, predictions), predictions, k_);
}

Tensor MeanSquaredError::Values(const Tensor& labels, const Tensor& predictions) const {
  return Square(Difference(name(), labels, predictions));
}
Tensor RootMeanSquaredError::ResultOf(const Tensors& sums) const { return Sqrt(Mean::ResultOf(sums)); }
Tensor MeanAbsoluteError::Values(const Tensor& labels, const Tensor& predictions) const {
  return Abs(Difference(name(), labels, predictions));
}

}  // namespace tandem::metrics
