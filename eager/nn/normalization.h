// Layers that normalize: BatchNormalization over the batch, LayerNormalization over each example.
//
//   nn::BatchNormalization()(x, {.training = true});     // by the batch's mean and variance; moves the averages
//   nn::BatchNormalization()(x);                         // by the moving averages
//   nn::LayerNormalization()(x);                         // over the last axis
#pragma once
#include "core/export.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

struct BatchNormalizationOptions {
  int64_t axis = -1;  // of the features: each has its own mean and variance
  double momentum = .99;
  double epsilon = 1e-3;
  bool center = true, scale = true;  // with a variable beta that is added, a gamma that multiplies
  Initializer beta_initializer = {};             // Zeros
  Initializer gamma_initializer = {};            // Ones
  Initializer moving_mean_initializer = {};      // Zeros
  Initializer moving_variance_initializer = {};  // Ones
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  Shape input_shape = Shape::Unknown();
  std::string name = {};
};

// In training moving = moving * momentum + batch's * (1 - momentum), the variance divided by the count, as in Keras. In a
// graph whoever computes the result updates the averages too. A layer that is not trainable() stays with its averages
// even in training. Variables, float32: gamma, beta, moving_mean, moving_variance. x: float32 or a half type.
class BatchNormalization : public Layer {
 public:
  explicit BatchNormalization(BatchNormalizationOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
  Tensor ComputeMask(const Tensor&, const Tensor& mask) override { return mask; }

 private:
  Tensor Normalize(const Tensor& image, std::string_view data_format, bool training);
  Tensor UpdateAverages(const Tensor& y, const Tensor& image, const Tensor& mean, const Tensor& variance);

  BatchNormalizationOptions options_;
  Variable gamma_, beta_, moving_mean_, moving_variance_;
  Tensor ones_, zeros_;  // for a gamma or beta that is not there
  int axis_ = 0;
};

struct LayerNormalizationOptions {
  std::vector<int64_t> axes = {-1};
  double epsilon = 1e-3;
  bool center = true, scale = true;
  Initializer beta_initializer = {};   // Zeros
  Initializer gamma_initializer = {};  // Ones
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  Shape input_shape = Shape::Unknown();
  std::string name = {};
  DType dtype = kFloat32;
};

// Variables: gamma and beta, of the shape of the normalized axes.
class LayerNormalization : public Layer {
 public:
  explicit LayerNormalization(LayerNormalizationOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
  Tensor ComputeMask(const Tensor&, const Tensor& mask) override { return mask; }

 private:
  Tensor Broadcastable(const Tensor& v) const;

  LayerNormalizationOptions options_;
  Variable gamma_, beta_;
  Tensor axes_;
  Shape broadcast_;  // gamma among the input's axes; a scalar where it fits as it is
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
