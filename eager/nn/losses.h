// Losses: one number for how far predictions are from labels. The set, arguments and reductions of TensorFlow's
// tf.compat.v1.losses.
//
//   Tensor loss = losses::SparseSoftmaxCrossEntropy(labels, model(images));                     // the batch's mean
//   Tensor each = losses::MeanSquaredError(y, p, {.reduction = losses::Reduction::kNone});      // [batch, …], unreduced
//   Tensor some = losses::AbsoluteDifference(y, p, {.weights = mask});                          // weighted elements
//
// Labels are converted to the predictions' dtype, predictions of integers to float32. Both have one shape, unless said
// otherwise: INVALID_ARGUMENT names both. weights: a scalar, or a tensor of the losses' rank each of whose dimensions is
// theirs or 1; INVALID_ARGUMENT otherwise. Half types are weighted and summed in float32. All work in both modes.
#pragma once
#include "core/export.h"
#include "core/origin.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem::losses {

// What becomes of the weighted losses; a quotient whose divisor is 0 is 0.
enum class Reduction {
  kNone,                  // they stay as they are
  kSum,
  kMean,                  // their sum by the sum of the weights
  kSumOverBatchSize,      // their sum by their number
  kSumByNonzeroWeights,   // their sum by the number of weights that are not 0
};

struct LossOptions {
  Tensor weights = {};  // left out: 1
  Reduction reduction = Reduction::kSumByNonzeroWeights;
};

// Weighs and reduces losses that were computed by other means.
Tensor ComputeWeightedLoss(const Tensor& losses, const LossOptions& options = {}, Origin origin = Here());

// |predictions - labels|.
Tensor AbsoluteDifference(const Tensor& labels, const Tensor& predictions, const LossOptions& options = {}, Origin origin = Here());
// (predictions - labels)².
Tensor MeanSquaredError(const Tensor& labels, const Tensor& predictions, const LossOptions& options = {}, Origin origin = Here());
// max(0, 1 - (2 labels - 1) logits), for labels of 0 and 1.
Tensor HingeLoss(const Tensor& labels, const Tensor& logits, const LossOptions& options = {}, Origin origin = Here());

struct HuberLossOptions {
  Tensor weights = {};
  Reduction reduction = Reduction::kSumByNonzeroWeights;
  double delta = 1.;  // where the parabola becomes a line
};
// e²/2 where |e| = |predictions - labels| <= delta, else delta |e| - delta²/2.
Tensor HuberLoss(const Tensor& labels, const Tensor& predictions, const HuberLossOptions& options = {}, Origin origin = Here());

struct LogLossOptions {
  Tensor weights = {};
  Reduction reduction = Reduction::kSumByNonzeroWeights;
  double epsilon = 1e-7;  // keeps the logarithm finite
};
// -labels log(p + epsilon) - (1 - labels) log(1 - p + epsilon), for probabilities p.
Tensor LogLoss(const Tensor& labels, const Tensor& predictions, const LogLossOptions& options = {}, Origin origin = Here());

struct CosineDistanceOptions {
  Tensor weights = {};
  Reduction reduction = Reduction::kSumByNonzeroWeights;
  int64_t axis = -1;  // along which both are unit vectors
};
// 1 - sum(labels * predictions) along axis, which stays with size 1.
Tensor CosineDistance(const Tensor& labels, const Tensor& predictions, const CosineDistanceOptions& options = {}, Origin origin = Here());

struct CrossEntropyOptions {
  Tensor weights = {};
  Reduction reduction = Reduction::kSumByNonzeroWeights;
  double label_smoothing = 0.;  // in [0, 1]: how far labels move towards 1/2 (sigmoid) or 1/classes (softmax)
};
// Of independent classes: labels in [0, 1], one for each logit.
Tensor SigmoidCrossEntropy(const Tensor& labels, const Tensor& logits, const CrossEntropyOptions& options = {}, Origin origin = Here());
// Of exclusive classes: labels: [..., classes], rows that sum to 1 -> one loss for each row, [...]. A constant to labels.
Tensor SoftmaxCrossEntropy(const Tensor& labels, const Tensor& logits, const CrossEntropyOptions& options = {}, Origin origin = Here());
// The same with class numbers, labels: int32 or int64 [...] or [..., 1], logits: [..., classes]. INVALID_ARGUMENT names a
// label outside [0, classes).
Tensor SparseSoftmaxCrossEntropy(const Tensor& labels, const Tensor& logits, const LossOptions& options = {}, Origin origin = Here());

struct PairwiseOptions {
  Tensor weights = {};  // of rank 0, or the labels' rank
};
// The mean over pairs of elements of one sample of ((p_i - p_j) - (y_i - y_j))², summed over the batch (axis 0).
Tensor MeanPairwiseSquaredError(const Tensor& labels, const Tensor& predictions, const PairwiseOptions& options = {}, Origin origin = Here());

}  // namespace tandem::losses
TANDEM_EXPORT_END
