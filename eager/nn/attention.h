// MultiHeadAttention: each step of a query looks at the steps of a key and takes a mean of the values there
// (Vaswani et al., Attention Is All You Need, 2017).
//
//   nn::MultiHeadAttention attention(8, 64);
//   attention(x);                                  // x: [batch, time, features], looks at itself
//   attention(Tensors{query, value});              // the key is the value
//   attention(Tensors{query, value, key}, {.mask = mask});   // bool [batch, query steps, key steps], or [1, …]
//
// Variables as Keras has them: query's kernel [features, heads, key_dim] and bias [heads, key_dim], likewise of key and value,
// attention_output's kernel [heads, value_dim, output] and bias [output].
#pragma once
#include "core/export.h"
#include "eager/nn/activation.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

struct MultiHeadAttentionOptions {
  int64_t value_dim = 0;   // of one head; 0: key_dim
  int64_t output_dim = 0;  // 0: the query's features
  double dropout = 0;      // of the weights, in training
  bool use_bias = true;
  bool causal = false;     // no step looks at later ones
  Initializer kernel_initializer = {};  // GlorotUniform
  Initializer bias_initializer = {};    // Zeros
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  std::string name = {};
  DType dtype = kFloat32;
};

class MultiHeadAttention : public Layer {
 public:
  // INVALID_ARGUMENT when a size is below 1.
  MultiHeadAttention(int64_t num_heads, int64_t key_dim, MultiHeadAttentionOptions options = {});
  void BuildList(const std::vector<Shape>& inputs) override;
  Tensor Call(const Tensor& input) override { return Attend(input, input, input); }
  Tensor CallList(const Tensors& inputs) override;

 private:
  class Projection;
  Tensor Attend(const Tensor& query, const Tensor& value, const Tensor& key);
  Tensor Weights(const Tensor& scores, int64_t query_steps, int64_t key_steps) const;

  int64_t heads_, key_dim_;
  MultiHeadAttentionOptions options_;
  Projection *query_ = nullptr, *key_ = nullptr, *value_ = nullptr, *output_ = nullptr;  // owned as layers()
  Dropout* dropout_ = nullptr;
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
