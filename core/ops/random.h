// Random numbers, bit for bit TensorFlow's for the same seeds (normal numbers: to the last digits of sin, cos and log).
//
//   SetRandomSeed(42);
//   Tensor noise = RandomNormal({32, 10}, 0.0, 0.1);
//   Tensor die = RandomUniformInt({6}, 1, 7, {.seed = 3});     // of 1 to 6
//   Tensor same = StatelessRandomUniform({2}, {1, 2});         // a function of its seed: {1, 2} gives the same always
//
// Without any seed each program run differs. Each op of a graph, and eagerly each call with other arguments, has a
// stream of its own, which goes on from call to call. core/random_seed.h says how seeds combine.
// shape: a list or an integer vector. INVALID_ARGUMENT for negative sizes and dtypes that are not floating.
#pragma once
#include <optional>

#include "core/export.h"
#include "core/ints.h"
#include "core/operand.h"
#include "core/random_seed.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct RandomOptions {
  DType dtype = kFloat32;         // half, bfloat16, float32 or float64
  std::optional<int64_t> seed = std::nullopt;
};

// In [0, 1).
Tensor RandomUniform(const Ints& shape, RandomOptions options = {}, Origin origin = Here());
// In [minval, maxval).
Tensor RandomUniform(const Ints& shape, Operand minval, Operand maxval, RandomOptions options = {});
// Whole numbers in [minval, maxval), of the bounds' dtype, int32 or int64; INVALID_ARGUMENT when there are none.
Tensor RandomUniformInt(const Ints& shape, Operand minval, Operand maxval, std::optional<int64_t> seed = std::nullopt);
Tensor RandomNormal(const Ints& shape, RandomOptions options = {}, Origin origin = Here());
Tensor RandomNormal(const Ints& shape, Operand mean, Operand stddev, RandomOptions options = {});
// Normal numbers within two standard deviations of the mean; others are drawn again.
Tensor TruncatedNormal(const Ints& shape, RandomOptions options = {}, Origin origin = Here());
Tensor TruncatedNormal(const Ints& shape, Operand mean, Operand stddev, RandomOptions options = {});

// Functions of a seed of two whole numbers, int32[2] or int64[2].
Tensor StatelessRandomUniform(const Ints& shape, const Tensor& seed, DType dtype = kFloat32, Origin origin = Here());
Tensor StatelessRandomNormal(const Ints& shape, const Tensor& seed, DType dtype = kFloat32, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
