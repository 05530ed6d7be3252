#include "eager/nn/normalization.h"

#include <algorithm>

#include "core/executing_eagerly.h"
#include "core/ops/arithmetic.h"
#include "core/ops/batch_normalization.h"
#include "core/ops/cast.h"
#include "core/ops/math.h"
#include "core/ops/plumbing.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/transpose.h"
#include "core/scopes.h"
#include "core/status.h"
#include "eager/nn/initializers.h"
#include "eager/nn/reshaping.h"

namespace tandem::nn {
namespace {

Initializer Or(const Initializer& given, Initializer (*otherwise)()) { return given ? given : otherwise(); }

// An eager value even where a graph is recorded: a layer outlives the graph.
Tensor Filled(int64_t n, float value) { return Tensor(std::vector<float>(static_cast<size_t>(n), value)); }

}  // namespace

BatchNormalization::BatchNormalization(BatchNormalizationOptions options)
    : Layer({.name = options.name, .input_shape = options.input_shape}), options_(std::move(options)) {
  if (!(options_.momentum >= 0 && options_.momentum <= 1)) Fail(absl::StrCat("momentum is ", options_.momentum, ", must be in [0, 1]"));
  if (!(options_.epsilon >= 0)) Fail(absl::StrCat("epsilon is ", options_.epsilon, ", must be at least 0"));
  ExpectInput({.min_rank = 2});
}

void BatchNormalization::Build(const Shape& input) {
  const int64_t axis = options_.axis < 0 ? options_.axis + input.rank() : options_.axis;
  if (axis < 1 || axis >= input.rank())
    Fail(absl::StrCat("axis is ", options_.axis, ", must name one of ", input.ToString(), " behind the batch"));
  const int64_t n = KnownDim(input, static_cast<int>(axis));
  axis_ = static_cast<int>(axis);
  if (options_.scale)
    gamma_ = AddVariable("gamma", {n}, {.initializer = Or(options_.gamma_initializer, initializers::Ones), .regularizer = options_.gamma_regularizer});
  if (options_.center)
    beta_ = AddVariable("beta", {n}, {.initializer = Or(options_.beta_initializer, initializers::Zeros), .regularizer = options_.beta_regularizer});
  moving_mean_ = AddVariable("moving_mean", {n}, {.initializer = Or(options_.moving_mean_initializer, initializers::Zeros), .trainable = false});
  moving_variance_ =
      AddVariable("moving_variance", {n}, {.initializer = Or(options_.moving_variance_initializer, initializers::Ones), .trainable = false});
  if (!options_.scale) ones_ = Filled(n, 1);
  if (!options_.center) zeros_ = Filled(n, 0);
  ExpectInput({.rank = input.rank(), .axis = axis_, .size = n});
}

Tensor BatchNormalization::Call(const Tensor& input) {
  const bool train = training() && trainable();
  const int rank = input.rank();
  if (rank == 4 && axis_ == 3) return Normalize(input, "NHWC", train);
  if (rank == 4 && axis_ == 1) return Normalize(input, "NCHW", train);
  // Others as an image of one column: the features last, all else is the batch.
  const int64_t n = moving_mean_.shape()[0];
  if (axis_ == rank - 1) return ReshapeLike(Normalize(tandem::Reshape(input, {-1, 1, 1, n}), "NHWC", train), input, rank - 1, {n});
  std::vector<int64_t> to_last, back(rank);
  for (int i = 0; i < rank; ++i)
    if (i != axis_) to_last.push_back(i);
  to_last.push_back(axis_);
  for (int i = 0; i < rank; ++i) back[to_last[i]] = i;
  const Tensor last = Transpose(input, to_last);
  return Transpose(ReshapeLike(Normalize(tandem::Reshape(last, {-1, 1, 1, n}), "NHWC", train), last, rank - 1, {n}), back);
}

Tensor BatchNormalization::Normalize(const Tensor& x, std::string_view data_format, bool train) {
  const Tensor gamma = options_.scale ? Tensor(gamma_) : ones_, beta = options_.center ? Tensor(beta_) : zeros_;
  const FusedBatchNormOptions options = {.epsilon = static_cast<float>(options_.epsilon), .data_format = data_format, .is_training = train};
  if (!train) return FusedBatchNorm(x, gamma, beta, moving_mean_, moving_variance_, options).y;
  const FusedBatchNormResult r = FusedBatchNorm(x, gamma, beta, {}, {}, options);
  return UpdateAverages(r.y, x, r.batch_mean, r.batch_variance);
}

Tensor BatchNormalization::UpdateAverages(const Tensor& y, const Tensor& x, const Tensor& mean, const Tensor& variance) {
  const double step = 1 - options_.momentum;
  // The op divides the variance by count - 1 (by 1 when there is one), the average takes the one divided by count.
  const int64_t features = moving_mean_.shape()[0];
  Tensor biased;
  if (const int64_t size = x.size(); size >= 0) {
    const double count = static_cast<double>(size) / static_cast<double>(features);
    biased = count > 1 ? variance * ((count - 1) / count) : variance;
  } else {
    const Tensor count = Cast(Size(x), kFloat32) / static_cast<double>(features);
    biased = variance * (tandem::Maximum(count - 1, 1) / count);
  }
  const Tensor new_mean = moving_mean_.AssignSub((moving_mean_ - mean) * step);
  const Tensor new_variance = moving_variance_.AssignSub((moving_variance_ - biased) * step);
  if (ExecutingEagerly()) return y;
  const ControlDependencies after({new_mean, new_variance});
  return Identity(y);
}

LayerNormalization::LayerNormalization(LayerNormalizationOptions options)
    : Layer({.name = options.name, .input_shape = options.input_shape, .dtype = options.dtype}), options_(std::move(options)) {
  if (options_.axes.empty()) Fail("axes must not be empty");
  if (!(options_.epsilon >= 0)) Fail(absl::StrCat("epsilon is ", options_.epsilon, ", must be at least 0"));
  ExpectInput({.min_rank = 1});
}

void LayerNormalization::Build(const Shape& input) {
  std::vector<int32_t> axes;
  for (const int64_t axis : options_.axes) {
    const int64_t at = axis < 0 ? axis + input.rank() : axis;
    if (at < 0 || at >= input.rank()) Fail(absl::StrCat("axis is ", axis, ", must be in [", -input.rank(), ", ", input.rank() - 1, "]"));
    axes.push_back(static_cast<int32_t>(at));
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) Fail("axes names one axis twice");
  Shape shape, among = input;
  for (int i = 0; i < input.rank(); ++i) {
    if (std::ranges::find(axes, i) == axes.end()) among[i] = 1;
    else shape.push_back(among[i] = KnownDim(input, i));
  }
  if (options_.scale)
    gamma_ = AddVariable("gamma", shape, {.initializer = Or(options_.gamma_initializer, initializers::Ones), .regularizer = options_.gamma_regularizer});
  if (options_.center)
    beta_ = AddVariable("beta", shape, {.initializer = Or(options_.beta_initializer, initializers::Zeros), .regularizer = options_.beta_regularizer});
  axes_ = axes;
  const bool trailing = axes.front() + static_cast<int>(axes.size()) == input.rank();
  broadcast_ = trailing ? Shape() : among;
  ExpectInput({.rank = input.rank(), .axis = axes.back(), .size = shape.back()});
}

Tensor LayerNormalization::Broadcastable(const Tensor& v) const { return broadcast_.rank() ? tandem::Reshape(v, broadcast_) : v; }

Tensor LayerNormalization::Call(const Tensor& input) {
  const Tensor centered = input - Mean(input, axes_, {.keep_dims = true});
  Tensor factor = Rsqrt(Mean(Square(centered), axes_, {.keep_dims = true}) + options_.epsilon);
  Tensor y = centered * factor;
  if (options_.scale) y *= Broadcastable(gamma_);
  if (options_.center) y += Broadcastable(beta_);
  return y;
}

}  // namespace tandem::nn
