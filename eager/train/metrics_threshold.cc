#include "eager/train/metrics_threshold.h"

#include "core/index.h"
#include "core/ops/activations.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/fill.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/scan.h"
#include "core/ops/scatter.h"
#include "core/status.h"

namespace tandem::metrics {
namespace {

// The samples as vectors: the weight of each if it is positive, and if it is negative, and what was predicted.
struct Samples {
  Tensor positive, negative;  // float64[n]
  Tensor predictions;         // float32[n]
};

Samples Flatten(const std::string& metric, const Tensor& labels, const Tensor& predictions, const Tensor& sample_weight) {
  if (!labels.defined() || !predictions.defined()) ThrowError(absl::FailedPreconditionError(absl::StrCat(metric, ": an undefined tensor")));
  if (!labels.shape().CompatibleWith(predictions.shape()))
    ThrowError(InvalidArgument(metric, ": shapes differ: labels is ", labels.shape().ToString(), ", predictions is ", predictions.shape().ToString()));
  Tensor weights = OnesLike(Cast(predictions, kFloat64));
  if (sample_weight.defined()) {
    Tensor w = Cast(sample_weight, kFloat64);
    const int rank = weights.rank();
    // Of the leading axes: [batch] weighs the rows of [batch, n].
    while (rank > 0 && w.rank() > 0 && w.rank() < rank) w = ExpandDims(w, w.rank());
    const Shape given = w.shape(), full = weights.shape();
    bool fits = rank < 0 || given.rank() < 0 || given.rank() == 0 || given.rank() == rank;
    for (int i = 0; fits && rank > 0 && i < given.rank(); ++i) fits = given[i] == 1 || given[i] < 0 || full[i] < 0 || given[i] == full[i];
    if (!fits)
      ThrowError(InvalidArgument(metric, ": sample_weight is ", sample_weight.shape().ToString(), ", predictions is ", predictions.shape().ToString()));
    weights = weights * w;
  }
  const Tensor is_positive = Cast(Cast(labels, kBool), kFloat64);
  const Ints vector = {-1};
  return {Reshape(weights * is_positive, vector), Reshape(weights * (1 - is_positive), vector), Reshape(Cast(predictions, kFloat32), vector)};
}

// The weights of the samples above each threshold: float64[thresholds].
Tensor Above(const Samples& samples, const Tensor& weights, const std::vector<double>& thresholds) {
  const Tensor limits = ExpandDims(Cast(Tensor(thresholds), kFloat32), 1);
  const Tensor above = Cast(ExpandDims(samples.predictions, 0) > limits, kFloat64);  // [thresholds, n]
  return tandem::Sum(above * ExpandDims(weights, 0), 1);
}

std::vector<double> CheckThresholds(const std::string& metric, std::vector<double> thresholds) {
  if (thresholds.empty()) ThrowError(InvalidArgument(metric, ": no threshold"));
  for (double t : thresholds)
    if (!(t >= 0 && t <= 1)) ThrowError(InvalidArgument(metric, ": threshold ", t, " is not in [0, 1]"));
  return thresholds;
}

Tensor Quotient(const Tensor& part, const Tensor& other, size_t thresholds) {
  const Tensor quotient = DivNoNan(part, part + other);
  return thresholds == 1 ? quotient[0] : quotient;
}

}  // namespace

Precision::Precision(std::string name, std::vector<double> thresholds)
    : Metric(std::move(name)), thresholds_(CheckThresholds(this->name(), std::move(thresholds))) {
  AddSum("true_positives", {static_cast<int64_t>(thresholds_.size())});
  AddSum("false_positives", {static_cast<int64_t>(thresholds_.size())});
}
Tensor Precision::operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options) {
  const Samples s = Flatten(name(), labels, predictions, options.sample_weight);
  return Accumulate({Above(s, s.positive, thresholds_), Above(s, s.negative, thresholds_)});
}
Tensor Precision::ResultOf(const Tensors& sums) const { return Quotient(sums[0], sums[1], thresholds_.size()); }

Recall::Recall(std::string name, std::vector<double> thresholds)
    : Metric(std::move(name)), thresholds_(CheckThresholds(this->name(), std::move(thresholds))) {
  AddSum("true_positives", {static_cast<int64_t>(thresholds_.size())});
  AddSum("false_negatives", {static_cast<int64_t>(thresholds_.size())});
}
Tensor Recall::operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options) {
  const Samples s = Flatten(name(), labels, predictions, options.sample_weight);
  const Tensor above = Above(s, s.positive, thresholds_);
  return Accumulate({above, tandem::Sum(s.positive) - above});
}
Tensor Recall::ResultOf(const Tensors& sums) const { return Quotient(sums[0], sums[1], thresholds_.size()); }

AUC::AUC(std::string name, AUCOptions options) : Metric(std::move(name)), options_(options) {
  if (options.num_thresholds < 2) ThrowError(InvalidArgument(this->name(), ": num_thresholds is ", options.num_thresholds, ", must be at least 2"));
  for (const char* sum : {"true_positives", "true_negatives", "false_positives", "false_negatives"}) AddSum(sum, {options.num_thresholds});
}

// Thresholds are evenly spread, so a sample falls into one bucket between two of them, and what lies above a threshold
// is a running sum from the end: linear in the samples where comparing with each threshold would multiply.
Tensor AUC::operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options) {
  const Samples s = Flatten(name(), labels, predictions, options.sample_weight);
  const int64_t n = options_.num_thresholds;
  const Tensor p = ClipByValue(s.predictions, 0, 1);
  const Tensor bucket = Cast(Relu(Ceil(p * static_cast<double>(n - 1)) - 1), kInt32);
  const auto above = [&](const Tensor& weights) { return CumSum(UnsortedSegmentSum(weights, bucket, n), 0, {.reverse = true}); };
  const Tensor tp = above(s.positive), fp = above(s.negative);
  return Accumulate({tp, tandem::Sum(s.negative) - fp, fp, tandem::Sum(s.positive) - tp});
}

Tensor AUC::ResultOf(const Tensors& sums) const {
  const Tensor &tp = sums[0], &tn = sums[1], &fp = sums[2], &fn = sums[3];
  const auto lower = [](const Tensor& t) { return t.Index({Slice(0, -1)}); };  // at the lower of two thresholds
  const auto upper = [](const Tensor& t) { return t.Index({Slice(1, std::nullopt)}); };
  if (options_.curve == AUCCurve::kPR && options_.summation_method == AUCSummation::kInterpolation) {
    const Tensor dtp = lower(tp) - upper(tp), p = tp + fp;
    const Tensor slope = DivNoNan(dtp, Maximum(lower(p) - upper(p), 0));
    const Tensor intercept = upper(tp) - slope * upper(p);
    const Tensor both = LogicalAnd(lower(p) > 0, upper(p) > 0);
    const Tensor ratio = Select(both, DivNoNan(lower(p), Maximum(upper(p), 0)), 1);
    return tandem::Sum(DivNoNan(slope * (dtp + intercept * Log(ratio)), Maximum(upper(tp) + upper(fn), 0)));
  }
  const Tensor recall = DivNoNan(tp, tp + fn);
  const bool roc = options_.curve == AUCCurve::kROC;
  const Tensor x = roc ? DivNoNan(fp, fp + tn) : recall, y = roc ? recall : DivNoNan(tp, tp + fp);
  const Tensor a = lower(y), b = upper(y);
  const Tensor heights = options_.summation_method == AUCSummation::kInterpolation ? (a + b) / 2
                         : options_.summation_method == AUCSummation::kMinoring    ? Minimum(a, b)
                                                                                    : Maximum(a, b);
  return tandem::Sum((lower(x) - upper(x)) * heights);
}

}  // namespace tandem::metrics
