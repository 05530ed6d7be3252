#include "eager/nn/initializers.h"

#include <cmath>

#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/fill.h"
#include "core/ops/host_function.h"
#include "core/ops/random.h"
#include "core/ops/reshape.h"
#include "core/ops/transpose.h"
#include "core/status.h"

namespace tandem::nn::initializers {
namespace {

enum class Fan { kIn, kAverage };
enum class Distribution { kUniform, kNormal };

double FanOf(const Shape& shape, Fan fan) {
  double window = 1, in = 1, out = 1;
  if (shape.rank() == 1) in = out = static_cast<double>(shape[0]);
  if (shape.rank() >= 2) {
    for (int i = 0; i < shape.rank() - 2; ++i) window *= static_cast<double>(shape[i]);
    in = window * static_cast<double>(shape[shape.rank() - 2]);
    out = window * static_cast<double>(shape.back());
  }
  return std::max(1., fan == Fan::kIn ? in : (in + out) / 2);
}

Initializer VarianceScaling(double scale, Fan fan, Distribution distribution, Seed seed) {
  return [=](const Shape& shape, DType dtype) {
    const double variance = scale / FanOf(shape, fan);
    if (distribution == Distribution::kUniform) {
      const double limit = std::sqrt(3 * variance);
      return tandem::RandomUniform(shape, -limit, limit, {.dtype = dtype, .seed = seed});
    }
    // The constant is the standard deviation of a normal distribution cut at two of its own.
    return tandem::TruncatedNormal(shape, 0., std::sqrt(variance) / .87962566103423978, {.dtype = dtype, .seed = seed});
  };
}

// a: [m, n], m >= n, row-major. Replaced by the Q of its QR decomposition, each column times the sign of R's diagonal.
// Householder reflections (Golub and Van Loan, Matrix Computations, 5.2).
void OrthonormalColumns(double* a, int64_t m, int64_t n) {
  std::vector<double> scale(n), diagonal(n);
  for (int64_t k = 0; k < n; ++k) {
    double norm = 0;
    for (int64_t i = k; i < m; ++i) norm += a[i * n + k] * a[i * n + k];
    norm = std::sqrt(norm);
    const double alpha = a[k * n + k] > 0 ? -norm : norm;  // R's diagonal
    diagonal[k] = alpha;
    const double head = a[k * n + k] - alpha;
    scale[k] = norm == 0 || head == 0 ? 0 : -head / alpha;
    if (scale[k] == 0) continue;
    for (int64_t i = k + 1; i < m; ++i) a[i * n + k] /= head;  // the reflection's vector, its head being 1
    for (int64_t j = k + 1; j < n; ++j) {
      double dot = a[k * n + j];
      for (int64_t i = k + 1; i < m; ++i) dot += a[i * n + k] * a[i * n + j];
      a[k * n + j] -= scale[k] * dot;
      for (int64_t i = k + 1; i < m; ++i) a[i * n + j] -= scale[k] * dot * a[i * n + k];
    }
  }
  // The reflections applied to the identity, last first; column k of what stands below is still the vector.
  std::vector<double> q(static_cast<size_t>(m * n), 0.);
  for (int64_t k = 0; k < n; ++k) q[k * n + k] = 1;
  for (int64_t k = n - 1; k >= 0; --k)
    for (int64_t j = k; j < n && scale[k] != 0; ++j) {
      double dot = q[k * n + j];
      for (int64_t i = k + 1; i < m; ++i) dot += a[i * n + k] * q[i * n + j];
      q[k * n + j] -= scale[k] * dot;
      for (int64_t i = k + 1; i < m; ++i) q[i * n + j] -= scale[k] * dot * a[i * n + k];
    }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) a[i * n + j] = diagonal[j] < 0 ? -q[i * n + j] : q[i * n + j];
}

}  // namespace

Initializer Zeros() {
  return [](const Shape& shape, DType dtype) { return tandem::Zeros(shape, dtype); };
}
Initializer Ones() {
  return [](const Shape& shape, DType dtype) { return tandem::Ones(shape, dtype); };
}
Initializer Constant(double value) {
  return [=](const Shape& shape, DType dtype) { return Full(shape, value, dtype); };
}
Initializer Value(const Tensor& value) {
  return [=](const Shape&, DType dtype) { return Cast(value, dtype); };
}
Initializer RandomNormal(double mean, double stddev, Seed seed) {
  return [=](const Shape& shape, DType dtype) { return tandem::RandomNormal(shape, mean, stddev, {.dtype = dtype, .seed = seed}); };
}
Initializer RandomUniform(double minval, double maxval, Seed seed) {
  return [=](const Shape& shape, DType dtype) { return tandem::RandomUniform(shape, minval, maxval, {.dtype = dtype, .seed = seed}); };
}
Initializer TruncatedNormal(double mean, double stddev, Seed seed) {
  return [=](const Shape& shape, DType dtype) { return tandem::TruncatedNormal(shape, mean, stddev, {.dtype = dtype, .seed = seed}); };
}
Initializer GlorotUniform(Seed seed) { return VarianceScaling(1, Fan::kAverage, Distribution::kUniform, seed); }
Initializer GlorotNormal(Seed seed) { return VarianceScaling(1, Fan::kAverage, Distribution::kNormal, seed); }
Initializer HeUniform(Seed seed) { return VarianceScaling(2, Fan::kIn, Distribution::kUniform, seed); }
Initializer HeNormal(Seed seed) { return VarianceScaling(2, Fan::kIn, Distribution::kNormal, seed); }
Initializer LecunUniform(Seed seed) { return VarianceScaling(1, Fan::kIn, Distribution::kUniform, seed); }
Initializer LecunNormal(Seed seed) { return VarianceScaling(1, Fan::kIn, Distribution::kNormal, seed); }

Initializer Orthogonal(double gain, Seed seed) {
  return [=](const Shape& shape, DType dtype) {
    if (shape.rank() < 2) ThrowError(InvalidArgument("Orthogonal: shape is ", shape.ToString(), ", must have rank 2 or more"));
    const int64_t columns = shape.back(), rows = columns == 0 ? 0 : shape.num_elements().value_or(0) / columns;
    const Shape tall = {std::max(rows, columns), std::min(rows, columns)};
    // A host function: in a graph the numbers are drawn when it runs.
    const Tensor q = EagerFunc("orthonormal_columns", [tall](const Tensor& normal) {
      std::vector<double> a = normal.ToVector<double>();
      OrthonormalColumns(a.data(), tall[0], tall[1]);
      return Reshape(Tensor(a), tall);
    }, {tandem::RandomNormal(tall, {.dtype = kFloat64, .seed = seed})}, kFloat64);
    const Tensor oriented = rows < columns ? Transpose(q, {1, 0}) : q;
    return Cast(Reshape(oriented, shape) * gain, dtype);
  };
}

}  // namespace tandem::nn::initializers
