#include "eager/train/metrics_confusion.h"

#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/concat.h"
#include "core/ops/fill.h"
#include "core/ops/likeness.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"
#include "core/status.h"

namespace tandem::metrics {

ConfusionMatrix::ConfusionMatrix(int64_t num_classes, std::string name) : Metric(std::move(name)), num_classes_(num_classes) {
  if (num_classes < 1 || num_classes > (1 << 15)) ThrowError(InvalidArgument(this->name(), ": num_classes is ", num_classes, ", must be in [1, 32768]"));
  AddSum("total_cm", {num_classes, num_classes});
}

Tensor ConfusionMatrix::operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options) {
  if (!labels.defined() || !predictions.defined()) ThrowError(absl::FailedPreconditionError(absl::StrCat(name(), ": an undefined tensor")));
  if (!labels.shape().CompatibleWith(predictions.shape()))
    ThrowError(InvalidArgument(name(), ": shapes differ: labels is ", labels.shape().ToString(), ", predictions is ", predictions.shape().ToString()));
  const Tensor y = Cast(labels, kInt64), p = Cast(predictions, kInt64);
  Tensor weights = OnesLike(Cast(y, kFloat64));
  if (options.sample_weight.defined()) {
    if (!options.sample_weight.shape().CompatibleWith(labels.shape()) && options.sample_weight.rank() != 0)
      ThrowError(InvalidArgument(name(), ": sample_weight is ", options.sample_weight.shape().ToString(), ", labels is ", labels.shape().ToString()));
    weights = weights * Cast(options.sample_weight, kFloat64);
  }
  const Ints vector = {-1};
  const Tensor at = Stack({Reshape(y, vector), Reshape(p, vector)}, 1);
  return Accumulate({ScatterNd(at, Reshape(weights, vector), {num_classes_, num_classes_})});
}

Tensor MeanIoU::ResultOf(const Tensors& sums) const {
  const Tensor& matrix = sums[0];
  const Tensor true_positives = tandem::Sum(matrix * Cast(OneHot(Range(static_cast<int>(num_classes())), num_classes()), kFloat64), 1);
  const Tensor all = tandem::Sum(matrix, 0) + tandem::Sum(matrix, 1) - true_positives;
  return DivNoNan(tandem::Sum(DivNoNan(true_positives, all)), tandem::Sum(Cast(all != 0, kFloat64)));
}

}  // namespace tandem::metrics
