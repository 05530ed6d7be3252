#include "eager/nn/attention.h"

#include <cmath>

#include "core/ops/arithmetic.h"
#include "core/ops/bias_add.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/matmul.h"
#include "core/ops/reshape.h"
#include "core/ops/softmax.h"
#include "core/ops/transpose.h"
#include "core/status.h"
#include "eager/nn/initializers.h"
#include "eager/nn/reshaping.h"

namespace tandem::nn {

// A product of the last axes of the input with the first of a kernel: [..., features] -> [..., heads, size] by a kernel
// [features, heads, size], or [..., heads, size] -> [..., output] by one [heads, size, output].
class MultiHeadAttention::Projection : public Layer {
 public:
  Projection(std::string name, const Shape& kernel, int contracted, const MultiHeadAttentionOptions& o)
      : Layer({.name = std::move(name), .dtype = o.dtype}), shape_(kernel), contracted_(contracted) {
    for (int i = 0; i < contracted; ++i) in_ *= kernel[i];
    for (int i = contracted; i < 3; ++i) out_ *= kernel[i];
    AddVariableOptions bias = {.initializer = o.bias_initializer ? o.bias_initializer : initializers::Zeros(), .regularizer = o.bias_regularizer};
    kernel_ = AddVariable("kernel", kernel, {.initializer = o.kernel_initializer, .regularizer = o.kernel_regularizer});
    if (o.use_bias) bias_ = AddVariable("bias", Shape(kernel.dims().subspan(contracted)), bias);
  }
  Tensor Call(const Tensor& input) override {
    Tensor y = MatMul(tandem::Reshape(input, {-1, in_}), tandem::Reshape(kernel_, {in_, out_}));
    if (bias_.defined()) y = BiasAdd(y, tandem::Reshape(bias_, {out_}));
    const int leading = input.rank() - contracted_;
    return contracted_ == 1 ? ReshapeLike(y, input, leading, {shape_[1], shape_[2]}) : ReshapeLike(y, input, leading, {shape_[2]});
  }

 private:
  Shape shape_;
  int contracted_;
  int64_t in_ = 1, out_ = 1;
  Variable kernel_, bias_;
};

MultiHeadAttention::MultiHeadAttention(int64_t num_heads, int64_t key_dim, MultiHeadAttentionOptions options)
    : Layer({.name = options.name, .dtype = options.dtype}), heads_(num_heads), key_dim_(key_dim), options_(std::move(options)) {
  if (num_heads < 1) Fail(absl::StrCat("num_heads is ", num_heads, ", must be at least 1"));
  if (key_dim < 1) Fail(absl::StrCat("key_dim is ", key_dim, ", must be at least 1"));
  if (options_.value_dim < 0) Fail(absl::StrCat("value_dim is ", options_.value_dim, ", must be at least 0"));
  if (options_.output_dim < 0) Fail(absl::StrCat("output_dim is ", options_.output_dim, ", must be at least 0"));
  if (options_.value_dim == 0) options_.value_dim = key_dim;
  if (options_.dropout > 0) dropout_ = &Track("dropout_layer", Dropout(options_.dropout));
  ExpectInput({.rank = 3});
}

void MultiHeadAttention::BuildList(const std::vector<Shape>& inputs) {
  for (const Shape& s : inputs)
    if (s.rank() != 3) Fail(absl::StrCat("inputs must have rank 3, one is ", s.ToString()));
  const Shape &query = inputs[0], &value = inputs.size() > 1 ? inputs[1] : query, &key = inputs.size() > 2 ? inputs[2] : value;
  const int64_t features = KnownDim(query, -1);
  const int64_t key_features = KnownDim(key, -1), value_features = KnownDim(value, -1);
  const auto make = [&](const char* what, const Shape& kernel, int contracted) {
    return std::make_shared<Projection>(name() + "_" + what, kernel, contracted, options_);
  };
  // All are made before the first is tracked: a failed build leaves nothing.
  auto q = make("query", {features, heads_, key_dim_}, 1), k = make("key", {key_features, heads_, key_dim_}, 1),
       v = make("value", {value_features, heads_, options_.value_dim}, 1),
       o = make("attention_output", {heads_, options_.value_dim, options_.output_dim ? options_.output_dim : features}, 2);
  query_ = &Track("query", std::move(q));
  key_ = &Track("key", std::move(k));
  value_ = &Track("value", std::move(v));
  output_ = &Track("attention_output", std::move(o));
}

Tensor MultiHeadAttention::CallList(const Tensors& inputs) {
  if (inputs.size() > 3) Fail(absl::StrCat("takes query, value and key, got ", inputs.size(), " inputs"));
  const Tensor& query = inputs[0];
  const Tensor& value = inputs.size() > 1 ? inputs[1] : query;
  return Attend(query, value, inputs.size() > 2 ? inputs[2] : value);
}

Tensor MultiHeadAttention::Weights(const Tensor& scores, int64_t query_steps, int64_t key_steps) const {
  // What may not be seen gets so low a score that its weight is 0, as Keras does it.
  const double hidden = scores.dtype() == kFloat16 ? -3e4 : -1e9;
  Tensor masked = scores;
  if (mask().defined()) masked += ExpandDims((1 - Cast(mask(), scores.dtype())) * hidden, 1);
  if (options_.causal) {
    if (query_steps < 0 || key_steps < 0) Fail("the numbers of steps must be known for a causal mask");
    std::vector<float> later(static_cast<size_t>(query_steps * key_steps), 0.f);
    for (int64_t q = 0; q < query_steps; ++q)
      for (int64_t k = q + 1; k < key_steps; ++k) later[static_cast<size_t>(q * key_steps + k)] = static_cast<float>(hidden);
    masked += Cast(tandem::Reshape(Tensor(later), {query_steps, key_steps}), scores.dtype());
  }
  const Tensor weights = Softmax(masked);
  return dropout_ ? (*dropout_)(weights) : weights;
}

Tensor MultiHeadAttention::Attend(const Tensor& query, const Tensor& value, const Tensor& key) {
  const auto by_head = [](const Tensor& t) { return Transpose(t, {0, 2, 1, 3}); };  // [batch, heads, steps, size]
  const Tensor q = by_head((*query_)(query) * (1 / std::sqrt(static_cast<double>(key_dim_))));
  const Tensor k = by_head((*key_)(key)), v = by_head((*value_)(value));
  const Tensor weights = Weights(BatchMatMul(q, k, {.adj_y = true}), query.dim(1), key.dim(1));
  return (*output_)(by_head(BatchMatMul(weights, v)));
}

}  // namespace tandem::nn
