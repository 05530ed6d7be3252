// Embedding: a row of a table for each number.
//
//   nn::Embedding words(10000, 64, {.mask_zero = true});
//   Tensor x = words(ids);                                       // int [batch, time] -> [batch, time, 64]
//   Tensor h = lstm(x, {.mask = words.ComputeMask(ids, {})});    // a Sequential hands it on by itself
//
// Variable: embeddings [input_dim, output_dim]. INVALID_ARGUMENT names a number outside [0, input_dim).
#pragma once
#include "core/export.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

struct EmbeddingOptions {
  Initializer embeddings_initializer = {};  // RandomUniform
  Regularizer embeddings_regularizer = {};
  bool mask_zero = false;  // 0 stands for no step: ComputeMask is false there
  Shape input_shape = Shape::Unknown();
  std::string name = {};
  DType dtype = kFloat32;
};

class Embedding : public Layer {
 public:
  // INVALID_ARGUMENT when a size is below 1.
  Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options = {});
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
  Tensor ComputeMask(const Tensor& input, const Tensor& mask) override;

 private:
  int64_t input_dim_, output_dim_;
  EmbeddingOptions options_;
  Variable embeddings_;
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
