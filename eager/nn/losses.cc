#include "eager/nn/losses.h"

#include "core/index.h"
#include "core/ops/activations.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/concat.h"
#include "core/ops/fill.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"
#include "core/ops/plumbing.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/softmax.h"
#include "core/scopes.h"
#include "core/status.h"

namespace tandem::losses {
namespace {

bool IsHalf(DType dtype) { return dtype == kFloat16 || dtype == kBFloat16; }
std::string Text(const Tensor& t) { return t.shape().ToString(); }

void CheckDefined(const char* loss, const char* argument, const Tensor& t) {
  if (!t.defined()) ThrowError(absl::FailedPreconditionError(absl::StrCat(loss, ": ", argument, " is an undefined tensor")));
}

// Labels and predictions in one floating dtype and of one shape. Results of operations on them name the user's line.
struct Pair {
  Pair(const char* loss, const Tensor& labels, const char* predictions_name, const Tensor& predictions, Origin origin) : origin(origin) {
    CheckDefined(loss, "labels", labels);
    CheckDefined(loss, predictions_name, predictions);
    if (!labels.shape().CompatibleWith(predictions.shape()))
      ThrowError(InvalidArgument(loss, ": shapes differ: labels is ", Text(labels), ", ", predictions_name, " is ", Text(predictions)));
    const DType dtype = IsFloating(predictions.dtype()) ? predictions.dtype() : kFloat32;
    p = Cast(predictions, dtype, origin);
    y = Cast(labels, dtype, origin);
  }
  Operand operator()(const Tensor& t) const { return Operand(t, origin); }

  Origin origin;
  Tensor y, p;
};

// TensorFlow's rule: no axis of the weights is left to be guessed.
void CheckWeights(const Tensor& weights, const Tensor& losses) {
  const Shape w = weights.shape(), l = losses.shape();
  if (!w.known_rank() || !l.known_rank() || w.rank() == 0) return;
  bool fits = w.rank() == l.rank();
  for (int i = 0; fits && i < w.rank(); ++i) fits = w[i] == 1 || w[i] < 0 || l[i] < 0 || w[i] == l[i];
  if (!fits) ThrowError(InvalidArgument("losses: weights are ", w.ToString(), ", the losses are ", l.ToString(), ": each dimension must be 1 or the losses' own"));
}

// How many elements there are, as a scalar that can divide.
Tensor Count(const Tensor& t, DType dtype, Origin origin) {
  return t.size() >= 0 ? Cast(static_cast<double>(t.size()), dtype) : Cast(Size(t, kInt64, origin), dtype, origin);
}

Tensor Smooth(const Tensor& labels, double smoothing, Operand towards, Origin origin) {
  if (!(smoothing >= 0 && smoothing <= 1)) ThrowError(InvalidArgument("losses: label_smoothing is ", smoothing, ", must be in [0, 1]"));
  return smoothing == 0 ? labels : Mul(Operand(labels, origin), 1 - smoothing) + Mul(towards, smoothing);
}

}  // namespace

Tensor ComputeWeightedLoss(const Tensor& losses, const LossOptions& options, Origin origin) {
  CheckDefined("losses", "the losses", losses);
  const DType dtype = IsHalf(losses.dtype()) ? kFloat32 : losses.dtype();
  const auto at = [&](const Tensor& t) { return Operand(t, origin); };
  Tensor each = Cast(losses, dtype, origin), weights;
  if (options.weights.defined()) {
    CheckWeights(options.weights, losses);
    weights = Cast(options.weights, dtype, origin);
    each = Mul(at(each), weights);
  }
  if (options.reduction == Reduction::kNone) return Cast(each, losses.dtype(), origin);
  Tensor loss = Sum(at(each));
  if (options.reduction != Reduction::kSum) {
    // Broadcast as the losses were, so that a weight counts once for each element it weighs.
    const auto spread = [&](const Tensor& w) { return Sum(at(Mul(at(OnesLike(at(each))), w))); };
    Tensor divisor;
    if (!weights.defined() || options.reduction == Reduction::kSumOverBatchSize) divisor = Count(each, dtype, origin);
    else if (options.reduction == Reduction::kMean) divisor = spread(weights);
    else divisor = spread(Cast(NotEqual(at(weights), 0), dtype, origin));
    loss = DivNoNan(at(loss), divisor);
  }
  return Cast(loss, losses.dtype(), origin);
}

Tensor AbsoluteDifference(const Tensor& labels, const Tensor& predictions, const LossOptions& options, Origin origin) {
  const NameScope names("absolute_difference");
  const Pair at("AbsoluteDifference", labels, "predictions", predictions, origin);
  return ComputeWeightedLoss(Abs(at(Sub(at(at.p), at.y))), options, origin);
}

Tensor MeanSquaredError(const Tensor& labels, const Tensor& predictions, const LossOptions& options, Origin origin) {
  const NameScope names("mean_squared_error");
  const Pair at("MeanSquaredError", labels, "predictions", predictions, origin);
  return ComputeWeightedLoss(SquaredDifference(at(at.p), at.y), options, origin);
}

Tensor HingeLoss(const Tensor& labels, const Tensor& logits, const LossOptions& options, Origin origin) {
  const NameScope names("hinge_loss");
  const Pair at("HingeLoss", labels, "logits", logits, origin);
  const Tensor sign = Sub(at(Mul(at(at.y), 2)), 1);
  return ComputeWeightedLoss(Relu(at(Sub(Operand(1, origin), Mul(at(sign), at.p)))), options, origin);
}

Tensor HuberLoss(const Tensor& labels, const Tensor& predictions, const HuberLossOptions& options, Origin origin) {
  const NameScope names("huber_loss");
  const Pair at("HuberLoss", labels, "predictions", predictions, origin);
  if (!(options.delta >= 0)) ThrowError(InvalidArgument("HuberLoss: delta is ", options.delta, ", must not be negative"));
  const Tensor error = Abs(at(Sub(at(at.p), at.y)));
  const Tensor quadratic = Minimum(at(error), options.delta);
  const Tensor linear = Sub(at(error), quadratic);
  const Tensor losses = Add(at(Mul(at(Square(at(quadratic))), .5)), Mul(at(linear), options.delta));
  return ComputeWeightedLoss(losses, {options.weights, options.reduction}, origin);
}

Tensor LogLoss(const Tensor& labels, const Tensor& predictions, const LogLossOptions& options, Origin origin) {
  const NameScope names("log_loss");
  const Pair at("LogLoss", labels, "predictions", predictions, origin);
  const Tensor of_ones = Mul(at(at.y), Log(at(Add(at(at.p), options.epsilon))));
  const Tensor rest = Sub(Operand(1, origin), at.y);
  const Tensor of_zeros = Mul(at(rest), Log(at(Add(at(Sub(Operand(1, origin), at.p)), options.epsilon))));
  return ComputeWeightedLoss(Sub(at(Neg(at(of_ones))), of_zeros), {options.weights, options.reduction}, origin);
}

Tensor CosineDistance(const Tensor& labels, const Tensor& predictions, const CosineDistanceOptions& options, Origin origin) {
  const NameScope names("cosine_distance_loss");
  const Pair at("CosineDistance", labels, "predictions", predictions, origin);
  const Tensor products = Mul(at(at.p), at.y);
  const Tensor cosine = Sum(at(products), options.axis, {.keep_dims = true});
  return ComputeWeightedLoss(Sub(Operand(1, origin), cosine), {options.weights, options.reduction}, origin);
}

Tensor SigmoidCrossEntropy(const Tensor& labels, const Tensor& logits, const CrossEntropyOptions& options, Origin origin) {
  const NameScope names("sigmoid_cross_entropy_loss");
  const Pair at("SigmoidCrossEntropy", labels, "logits", logits, origin);
  const Tensor y = options.label_smoothing == 0 ? at.y : Smooth(at.y, options.label_smoothing, Cast(.5, at.y.dtype()), origin);
  // -y log s(x) - (1 - y) log(1 - s(x)) without an exponential that can overflow: max(x, 0) - x y + log(1 + exp(-|x|)).
  // The two selects, and not Relu and Abs, have the right derivative at 0.
  const Tensor positive = GreaterEqual(at(at.p), 0);
  const Tensor zeros = ZerosLike(at(at.p)), negated = Neg(at(at.p));
  const Tensor linear = Sub(at(Select(at(positive), at.p, zeros)), Mul(at(at.p), y));
  const Tensor losses = Add(at(linear), Log1p(at(Exp(at(Select(at(positive), negated, at.p))))));
  return ComputeWeightedLoss(losses, {options.weights, options.reduction}, origin);
}

Tensor SoftmaxCrossEntropy(const Tensor& labels, const Tensor& logits, const CrossEntropyOptions& options, Origin origin) {
  const NameScope names("softmax_cross_entropy_loss");
  const Pair at("SoftmaxCrossEntropy", labels, "logits", logits, origin);
  const int rank = at.p.rank();
  if (rank < 1) ThrowError(InvalidArgument("SoftmaxCrossEntropy: logits must be [..., classes], are ", Text(logits)));
  Tensor y = StopGradient(at.y, origin);
  if (options.label_smoothing != 0) {
    const int64_t classes = at.p.dim(-1);
    const Tensor uniform = classes >= 0 ? Cast(1. / static_cast<double>(classes), y.dtype())
                                        : Reciprocal(at(Cast(ShapeOf(at.p, kInt32, origin)[-1], y.dtype(), origin)));
    y = Smooth(y, options.label_smoothing, uniform, origin);
  }
  if (rank == 2) return ComputeWeightedLoss(SoftmaxCrossEntropyWithLogits(at.p, y, origin).loss, {options.weights, options.reduction}, origin);
  const Tensor shape = ShapeOf(at.p, kInt32, origin);
  const Ints rows = shape.Index({Slice(0, rank - 1)});
  const Ints matrix = Concat({Tensor({-1}), shape.Index({Slice(rank - 1, rank)})}, 0, origin);
  const Tensor loss = SoftmaxCrossEntropyWithLogits(Reshape(at.p, matrix, origin), Reshape(y, matrix, origin), origin).loss;
  return ComputeWeightedLoss(Reshape(loss, rows, origin), {options.weights, options.reduction}, origin);
}

Tensor SparseSoftmaxCrossEntropy(const Tensor& labels, const Tensor& logits, const LossOptions& options, Origin origin) {
  const NameScope names("sparse_softmax_cross_entropy_loss");
  CheckDefined("SparseSoftmaxCrossEntropy", "labels", labels);
  CheckDefined("SparseSoftmaxCrossEntropy", "logits", logits);
  if (labels.dtype() != kInt32 && labels.dtype() != kInt64)
    ThrowError(InvalidArgument("SparseSoftmaxCrossEntropy: labels are ", std::string(DTypeName(labels.dtype())),
                               ", must be class numbers, int32 or int64"));
  const int rank = logits.rank();
  Tensor y = labels;
  if (y.rank() == rank && rank > 0 && (y.dim(-1) == 1 || y.dim(-1) < 0)) y = Squeeze(y, {-1}, origin);
  const auto mismatch = [&] {
    ThrowError(InvalidArgument("SparseSoftmaxCrossEntropy: labels are ", Text(labels), ", logits are ", Text(logits),
                               ": one label is needed for each row of logits"));
  };
  if (rank == 0 || (rank > 0 && y.rank() >= 0 && y.rank() != rank - 1)) mismatch();
  for (int i = 0; i + 1 < rank && y.rank() >= 0; ++i)
    if (y.dim(i) >= 0 && logits.dim(i) >= 0 && y.dim(i) != logits.dim(i)) mismatch();
  LossOptions weighted = options;
  // Weights of [batch, 1] weigh [batch] losses.
  if (weighted.weights.defined() && weighted.weights.rank() == rank && rank > 1 && weighted.weights.dim(-1) == 1)
    weighted.weights = Squeeze(weighted.weights, {-1}, origin);
  if (rank == 2 || rank < 0) return ComputeWeightedLoss(SparseSoftmaxCrossEntropyWithLogits(logits, y, origin).loss, weighted, origin);
  const Tensor shape = ShapeOf(logits, kInt32, origin);
  const Ints matrix = Concat({Tensor({-1}), shape.Index({Slice(rank - 1, rank)})}, 0, origin);
  const Tensor loss = SparseSoftmaxCrossEntropyWithLogits(Reshape(logits, matrix, origin), Reshape(y, {-1}, origin), origin).loss;
  return ComputeWeightedLoss(Reshape(loss, ShapeOf(y, kInt32, origin), origin), weighted, origin);
}

Tensor MeanPairwiseSquaredError(const Tensor& labels, const Tensor& predictions, const PairwiseOptions& options, Origin origin) {
  const NameScope names("mean_pairwise_squared_error");
  const Pair at("MeanPairwiseSquaredError", labels, "predictions", predictions, origin);
  const int rank = at.p.rank();
  if (rank < 1) ThrowError(InvalidArgument("MeanPairwiseSquaredError: predictions must be [batch, ...], are ", Text(predictions)));
  const DType dtype = at.p.dtype();
  const Tensor weights = options.weights.defined() ? Cast(options.weights, dtype, origin) : Cast(1., dtype);
  const Tensor difference = Sub(at(at.p), at.y);
  CheckWeights(weights, difference);
  const Tensor axes = Range(1, rank, 1);
  const auto sum = [&](const Tensor& t) { return Sum(at(t), axes, {.keep_dims = true}); };
  // sum over pairs of (d_i - d_j)² = 2 n sum d² - 2 (sum d)².
  const Tensor n = sum(Mul(at(OnesLike(at(difference))), Cast(NotEqual(at(weights), 0), dtype, origin)));
  const Tensor others = Maximum(at(Sub(at(n), 1)), 0);
  const Tensor squares = DivNoNan(at(sum(Square(at(difference)))), others);
  const Tensor crossed = DivNoNan(at(Square(at(sum(difference)))), Mul(at(n), others));
  const Tensor each = Mul(at(Mul(at(Sub(at(squares), crossed)), 2)), weights);
  return Sum(at(each));
}

}  // namespace tandem::losses
