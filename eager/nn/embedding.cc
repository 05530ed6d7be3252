#include "eager/nn/embedding.h"

#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/gather.h"
#include "core/status.h"
#include "eager/nn/initializers.h"

namespace tandem::nn {

Embedding::Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options)
    : Layer({.name = options.name, .input_shape = options.input_shape, .dtype = options.dtype}),
      input_dim_(input_dim),
      output_dim_(output_dim),
      options_(std::move(options)) {
  if (input_dim < 1) Fail(absl::StrCat("input_dim is ", input_dim, ", must be at least 1"));
  if (output_dim < 1) Fail(absl::StrCat("output_dim is ", output_dim, ", must be at least 1"));
}

void Embedding::Build(const Shape&) {
  embeddings_ = AddVariable("embeddings", {input_dim_, output_dim_},
                            {.initializer = options_.embeddings_initializer ? options_.embeddings_initializer : initializers::RandomUniform(),
                             .regularizer = options_.embeddings_regularizer});
}

Tensor Embedding::Call(const Tensor& input) {
  const bool whole = input.dtype() == kInt32 || input.dtype() == kInt64;
  return Gather(embeddings_, whole ? input : Cast(input, kInt32));
}

Tensor Embedding::ComputeMask(const Tensor& input, const Tensor&) { return options_.mask_zero ? input != 0 : Tensor(); }

}  // namespace tandem::nn
