// Dense: a product with a matrix, a bias and an activation.
//
//   nn::Dense hidden(256, {.activation = Relu});
//   Tensor h = hidden(x);                          // [batch, ..., in] -> [batch, ..., 256]
//
// Variables: kernel [in, units], bias [units].
#pragma once
#include "core/export.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

struct DenseOptions {
  ActivationFunction activation = {};  // none
  bool use_bias = true;
  Initializer kernel_initializer = {};  // GlorotUniform
  Initializer bias_initializer = {};    // Zeros
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Shape input_shape = Shape::Unknown();
  std::string name = {};
  DType dtype = kFloat32;
  bool trainable = true;
};

class Dense : public Layer {
 public:
  // INVALID_ARGUMENT when units is below 1.
  explicit Dense(int64_t units, DenseOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
  Tensor ComputeMask(const Tensor&, const Tensor& mask) override { return mask; }

  // FAILED_PRECONDITION before the layer is built.
  const Variable& kernel() const;
  const Variable& bias() const;  // also without one

 private:
  const Variable& Built(const Variable& v, const char* name) const;

  int64_t units_;
  DenseOptions options_;
  Variable kernel_, bias_;
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
