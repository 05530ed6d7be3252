// First values of variables, by the formulas of Keras.
//
//   nn::Dense(10, {.kernel_initializer = nn::initializers::HeNormal()});
//   Tensor w = nn::initializers::Orthogonal()({64, 64}, kFloat32);
//
// Fans: of a matrix [in, out] in and out; of a filter [..., in, out] each times the window's size; of a vector its length.
// Without a seed each is drawn from the stream of its op (core/ops/random.h).
#pragma once
#include <optional>

#include "core/export.h"
#include "core/operand.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn::initializers {

using Seed = std::optional<int64_t>;

Initializer Zeros();
Initializer Ones();
Initializer Constant(double value);
Initializer Value(const Tensor& value);  // this tensor; its shape must be the variable's
Initializer RandomNormal(double mean = 0, double stddev = .05, Seed seed = {});
Initializer RandomUniform(double minval = -.05, double maxval = .05, Seed seed = {});
// Normal numbers within two standard deviations.
Initializer TruncatedNormal(double mean = 0, double stddev = .05, Seed seed = {});

// Variance 1 / mean of the fans (Glorot), 2 / fan in (He), 1 / fan in (LeCun); Normal is cut at two standard deviations.
Initializer GlorotUniform(Seed seed = {});
Initializer GlorotNormal(Seed seed = {});
Initializer HeUniform(Seed seed = {});
Initializer HeNormal(Seed seed = {});
Initializer LecunUniform(Seed seed = {});
Initializer LecunNormal(Seed seed = {});

// gain times a matrix [all but the last dimension, last] with orthonormal columns (or rows, when it has fewer): the Q of
// normal numbers, signs chosen so that it is uniformly distributed. INVALID_ARGUMENT for a vector.
Initializer Orthogonal(double gain = 1, Seed seed = {});

}  // namespace tandem::nn::initializers
TANDEM_EXPORT_END
