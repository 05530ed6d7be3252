#include "eager/nn/dense.h"

#include "core/ops/bias_add.h"
#include "core/ops/matmul.h"
#include "core/ops/reshape.h"
#include "core/status.h"
#include "eager/nn/initializers.h"
#include "eager/nn/reshaping.h"

namespace tandem::nn {

Dense::Dense(int64_t units, DenseOptions options)
    : Layer({.name = options.name, .input_shape = options.input_shape, .dtype = options.dtype, .trainable = options.trainable}),
      units_(units),
      options_(std::move(options)) {
  if (units < 1) Fail(absl::StrCat("units is ", units, ", must be at least 1"));
  ExpectInput({.min_rank = 2});
}

void Dense::Build(const Shape& input) {
  const int64_t in = KnownDim(input, -1);
  kernel_ = AddVariable("kernel", {in, units_}, {.initializer = options_.kernel_initializer, .regularizer = options_.kernel_regularizer});
  if (options_.use_bias)
    bias_ = AddVariable("bias", {units_},
                        {.initializer = options_.bias_initializer ? options_.bias_initializer : initializers::Zeros(),
                         .regularizer = options_.bias_regularizer});
  ExpectInput({.min_rank = 2, .axis = -1, .size = in});
}

Tensor Dense::Call(const Tensor& input) {
  const bool matrix = input.rank() == 2;
  Tensor y = MatMul(matrix ? input : tandem::Reshape(input, {-1, kernel_.shape()[0]}), kernel_);
  if (options_.use_bias) y = BiasAdd(y, bias_);
  if (!matrix) y = ReshapeLike(y, input, input.rank() - 1, {units_});
  return options_.activation ? options_.activation(y) : y;
}

const Variable& Dense::Built(const Variable& v, const char* name) const {
  if (v.defined()) return v;
  const char* why = built() ? "" : " yet: the first call builds it";
  ThrowError(absl::FailedPreconditionError(absl::StrCat("Dense: there is no ", name, why, "; layer \"", this->name(), "\"")));
}
const Variable& Dense::kernel() const { return Built(kernel_, "kernel"); }
const Variable& Dense::bias() const { return Built(bias_, "bias"); }

}  // namespace tandem::nn
