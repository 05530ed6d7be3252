// Errors in units in the last place against libm: float against double, double against long double.
#include <catch2/catch.hpp>

#include "tests/kernels/vector/test_loops.h"

namespace tandem {
namespace {

// |got - want| in units of the last place of `want` rounded to T; 0 for equal specials, huge for differing ones.
template <typename T, typename W>
double UlpError(T got, W want) {
  const T rounded = static_cast<T>(want);
  if (SameBits(got, rounded) || (got == 0 && rounded == 0)) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return 1e9;
  int exponent;
  std::frexp(want, &exponent);
  const int digits = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent - digits;
  return static_cast<double>(std::abs(W(got) - want) / std::ldexp(W(1), std::max(exponent - digits, lowest)));
}

template <typename W>
struct Row {
  VecOp op;
  W (*want)(W);
  double f32_bound, f64_bound;
};

template <typename W> W Sigmoid(W x) { return 1 / (1 + std::exp(-x)); }
template <typename W> W Softplus(W x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
template <typename W> W Rsqrt(W x) { return 1 / std::sqrt(x); }

template <typename W>
std::vector<Row<W>> Rows() {
  return {
      {VecOp::kExp, std::exp, 1, 1.5}, {VecOp::kLog, std::log, 1, 1.5}, {VecOp::kTanh, std::tanh, 1, 3}, {VecOp::kErf, std::erf, 1, 1},
      {VecOp::kSin, std::sin, 1, 2}, {VecOp::kCos, std::cos, 1, 2}, {VecOp::kExpm1, std::expm1, 1.6, 2.5}, {VecOp::kLog1p, std::log1p, 1.6, 2.5},
      {VecOp::kSigmoid, Sigmoid<W>, 2.6, 3}, {VecOp::kSoftplus, Softplus<W>, 2, 3}, {VecOp::kErfc, std::erfc, 1, 5}, {VecOp::kSqrt, std::sqrt, 0.5, 0.5001},
      {VecOp::kRsqrt, Rsqrt<W>, 1.6, 1.6},
  };
}

// A sample of all bit patterns and a denser one of the everyday range.
template <typename T>
std::vector<T> Sample(size_t n, uint32_t seed) {
  std::vector<T> x = Values<T>(n, seed);
  std::mt19937_64 random(seed);
  for (size_t i = n / 2; i < n; ++i) x[i] = std::uniform_real_distribution<T>(-12, 12)(random);
  return x;
}

template <typename T, typename W>
void CheckUlps(size_t n) {
  const std::vector<T> x = Sample<T>(n, 7);
  for (const Row<W>& row : Rows<W>()) {
    for (vec::Isa isa : Isas()) {
      std::vector<T> y(n);
      const Operand2D in[1] = {{x.data(), 0, 1}};
      vec::KernelsFor(isa).elementwise[static_cast<int>(row.op)][static_cast<int>(kVecTypeOf<T>)](in, y.data(), 1, n, nullptr);
      const double bound = sizeof(T) == 4 ? row.f32_bound : row.f64_bound;
      for (size_t i = 0; i < n; ++i) {
        const double error = UlpError(y[i], row.want(x[i]));
        if (error > bound) FAIL(Name(row.op) << '(' << x[i] << ") is " << y[i] << ", off by " << error << " ULP, vector unit " << static_cast<int>(isa));
      }
    }
  }
  SUCCEED();
}

TEST_CASE("float functions are within their error bounds") { CheckUlps<float, double>(100000); }
TEST_CASE("double functions are within their error bounds") { CheckUlps<double, long double>(20000); }

TEST_CASE("Pow is within one ULP in float") {
  constexpr size_t kN = 100000;
  const std::vector<float> random = Values<float>(kN, 21), near = Sample<float>(kN, 22);
  std::vector<float> base = random, y(kN);
  for (size_t i = 0; i < kN / 2; ++i) base[i] = std::abs(near[kN - 1 - i]);
  const Operand2D in[2] = {{base.data(), 0, 1}, {near.data(), 0, 1}};
  for (vec::Isa isa : Isas()) {
    vec::KernelsFor(isa).elementwise[static_cast<int>(VecOp::kPow)][static_cast<int>(VecType::kF32)](in, y.data(), 1, kN, nullptr);
    for (size_t i = 0; i < kN; ++i) {
      const double error = UlpError(y[i], std::pow(double{base[i]}, double{near[i]}));
      if (error > 1) FAIL("Pow(" << base[i] << ", " << near[i] << ") is " << y[i] << ", off by " << error << " ULP");
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace tandem
