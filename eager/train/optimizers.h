// The optimizers: formulas, defaults and slot names of tf.compat.v1.train; AdamW and LAMB as in Keras.
//
//   train::GradientDescentOptimizer sgd(0.001);
//   train::MomentumOptimizer momentum(0.1, 0.9, {.use_nesterov = true});
//   train::AdamOptimizer adam;                       // lr 0.001, beta1 0.9, beta2 0.999, epsilon 1e-8
//
// Every number may be a schedule, a callable or a tensor (HyperParameter).
#pragma once
#include "core/export.h"
#include "eager/train/optimizer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

// var -= lr g. Sparse gradients: the picked rows alone.
class GradientDescentOptimizer : public Optimizer {
 public:
  explicit GradientDescentOptimizer(HyperParameter learning_rate);

 protected:
  Step PrepareStep(DType dtype) override;
  bool UpdateSparse(const Variable& variable, std::span<const Variable> slots, const Tensor& values, const Tensor& indices, const Step& step) override;

 private:
  HyperParameter learning_rate_;
};

struct MomentumOptions {
  bool use_nesterov = false;
};
// accum = momentum accum + g; var -= lr accum. Slot "momentum".
class MomentumOptimizer : public Optimizer {
 public:
  MomentumOptimizer(HyperParameter learning_rate, HyperParameter momentum, MomentumOptions options = {});

 protected:
  Step PrepareStep(DType dtype) override;

 private:
  HyperParameter learning_rate_, momentum_;
  MomentumOptions options_;
};

struct AdamOptions {
  HyperParameter beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};
// m, v: running means of g and g²; var -= lr sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon). Slots "m", "v";
// the powers beta^t are variables "beta1_power" and "beta2_power". Sparse gradients: every row decays, as in dense ones.
class AdamOptimizer : public Optimizer {
 public:
  explicit AdamOptimizer(HyperParameter learning_rate = 0.001, AdamOptions options = {});

 protected:
  AdamOptimizer(std::string name, HyperParameter learning_rate, AdamOptions options);
  void Begin(bool symbolic) override;
  Step PrepareStep(DType dtype) override;
  void End() override;
  HyperParameter learning_rate_;
  AdamOptions options_;
  Variable beta1_power_, beta2_power_;
};

struct AdamWOptions {
  HyperParameter weight_decay = 0.004, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7;
};
// Before Adam's step, var -= lr weight_decay var (https://arxiv.org/abs/1711.05101).
class AdamWOptimizer : public AdamOptimizer {
 public:
  explicit AdamWOptimizer(HyperParameter learning_rate = 0.001, AdamWOptions options = {});

 protected:
  bool fused() const override { return false; }
  void UpdateDense(const Variable& variable, std::span<const Variable> slots, const Tensor& gradient, const Step& step) override;

 private:
  HyperParameter weight_decay_;
};

struct LambOptions {
  HyperParameter beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7;
};
// Adam's direction, scaled for each variable by the ratio of its norm to the direction's (https://arxiv.org/abs/1904.00962).
class LambOptimizer : public AdamOptimizer {
 public:
  explicit LambOptimizer(HyperParameter learning_rate = 0.001, LambOptions options = {});

 protected:
  bool fused() const override { return false; }
  void UpdateDense(const Variable& variable, std::span<const Variable> slots, const Tensor& gradient, const Step& step) override;
};

struct AdagradOptions {
  double initial_accumulator_value = 0.1;
};
// accum += g²; var -= lr g / sqrt(accum). Slot "accumulator".
class AdagradOptimizer : public Optimizer {
 public:
  explicit AdagradOptimizer(HyperParameter learning_rate, AdagradOptions options = {});

 protected:
  Step PrepareStep(DType dtype) override;

 private:
  HyperParameter learning_rate_;
};

struct RMSPropOptions {
  HyperParameter decay = 0.9, momentum = 0.0, epsilon = 1e-10;
  bool centered = false;  // divide by the standard deviation of g, not its root mean square
};
// rms = decay rms + (1 - decay) g²; mom = momentum mom + lr g / sqrt(rms + epsilon); var -= mom. Slots "rms" (begins at
// 1), "momentum"; centered: "mg" before them.
class RMSPropOptimizer : public Optimizer {
 public:
  explicit RMSPropOptimizer(HyperParameter learning_rate, RMSPropOptions options = {});

 protected:
  Step PrepareStep(DType dtype) override;

 private:
  HyperParameter learning_rate_;
  RMSPropOptions options_;
};

struct AdadeltaOptions {
  HyperParameter rho = 0.95, epsilon = 1e-8;
};
// Steps scaled by running means of squared updates and squared gradients. Slots "accum", "accum_update".
class AdadeltaOptimizer : public Optimizer {
 public:
  explicit AdadeltaOptimizer(HyperParameter learning_rate = 0.001, AdadeltaOptions options = {});

 protected:
  Step PrepareStep(DType dtype) override;

 private:
  HyperParameter learning_rate_;
  AdadeltaOptions options_;
};

struct FtrlOptions {
  HyperParameter learning_rate_power = -0.5;
  double initial_accumulator_value = 0.1;
  HyperParameter l1_regularization_strength = 0.0, l2_regularization_strength = 0.0;
};
// Follow the regularised leader (https://research.google/pubs/pub41159). Slots "accum", "linear".
class FtrlOptimizer : public Optimizer {
 public:
  explicit FtrlOptimizer(HyperParameter learning_rate, FtrlOptions options = {});

 protected:
  Step PrepareStep(DType dtype) override;

 private:
  HyperParameter learning_rate_;
  FtrlOptions options_;
};

}  // namespace tandem::train
TANDEM_EXPORT_END
