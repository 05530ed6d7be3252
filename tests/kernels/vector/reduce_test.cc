// The fixed tree: the same bits on every vector unit, by rows, columns and blocks; exact and special values.
#include "kernels/vector/reduce.h"

#include <catch2/catch.hpp>

#include "kernels/vector/reduce_table.h"
#include "kernels/vector/softmax.h"
#include "tests/kernels/vector/test_loops.h"

namespace tandem {
namespace {

const ReduceOp kOps[] = {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kSumSquares};

// The documented tree, written plainly. Float totals in double.
template <typename T>
T Plain(ReduceOp op, const std::vector<T>& x) {
  using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;
  const auto join = [op](auto a, auto b) -> decltype(a) {
    using U = std::make_unsigned_t<std::conditional_t<std::is_integral_v<decltype(a)>, decltype(a), int>>;
    if constexpr (std::is_integral_v<decltype(a)>) {
      if (op == ReduceOp::kProd) return static_cast<decltype(a)>(U(a) * U(b));
      if (op != ReduceOp::kMax && op != ReduceOp::kMin) return static_cast<decltype(a)>(U(a) + U(b));
    } else {
      if (op == ReduceOp::kProd) return a * b;
      if (op != ReduceOp::kMax && op != ReduceOp::kMin) return a + b;
      if (b != b) return b;
    }
    return op == ReduceOp::kMax ? (b > a ? b : a) : (b < a ? b : a);
  };
  const auto identity = [op](auto zero) -> decltype(zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    if (op == ReduceOp::kProd) return 1;
    if (op == ReduceOp::kMax) return Limits::has_infinity ? -Limits::infinity() : Limits::min();
    if (op == ReduceOp::kMin) return Limits::has_infinity ? Limits::infinity() : Limits::max();
    return 0;
  };
  Total total = identity(Total{});
  for (size_t begin = 0; begin < x.size(); begin += kReduceBlock) {
    T acc[64];
    std::fill(acc, acc + 64, identity(T{}));
    for (size_t k = begin; k < std::min<size_t>(x.size(), begin + kReduceBlock); ++k) {
      using U = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
      const T taken = op == ReduceOp::kSumSquares ? static_cast<T>(U(x[k]) * U(x[k])) : x[k];
      acc[(k - begin) % 64] = join(acc[(k - begin) % 64], taken);
    }
    for (int half = 32; half >= 1; half /= 2) {
      for (int j = 0; j < half; ++j) acc[j] = join(acc[j], acc[j + half]);
    }
    total = join(total, Total(acc[0]));
  }
  return static_cast<T>(total);
}

template <typename T>
void CheckRows() {
  const int type = static_cast<int>(kVecTypeOf<T>);
  for (size_t n : {0, 1, 2, 3, 7, 15, 16, 17, 63, 64, 65, 100, 127, 1000, 4095, 4096, 4097, 10000}) {
    std::vector<T> x = Values<T>(n, 5 + n);
    for (ReduceOp op : kOps) {
      if constexpr (std::is_floating_point_v<T>) {
        if (n > 2) std::transform(x.begin(), x.end(), x.begin(), [](T v) { return std::isfinite(v) && std::abs(v) < 1e6 ? v : T(0.75); });
      }
      const T want = Plain(op, x);
      for (vec::Isa isa : Isas()) {
        T y;
        vec::ReductionsFor(isa).row[static_cast<int>(op)][type](x.data(), &y, n);
        INFO("op " << static_cast<int>(op) << ", n = " << n << ", vector unit " << static_cast<int>(isa) << ": " << y << ", want " << want);
        CHECK(SameBits(y, want));
      }
      std::vector<T> partial(n / kReduceBlock + 1);
      ReduceBlocks(op, kVecTypeOf<T>, x.data(), n, 1, (n + kReduceBlock - 1) / kReduceBlock, partial.data());
      ReduceBlocks(op, kVecTypeOf<T>, x.data(), n, 0, n ? 1 : 0, partial.data());
      T y;
      CombineBlocks(op, kVecTypeOf<T>, partial.data(), n, &y);
      CHECK(SameBits(y, want));
    }
  }
}

TEST_CASE("rows are reduced by the documented tree: float") { CheckRows<float>(); }
TEST_CASE("rows are reduced by the documented tree: double") { CheckRows<double>(); }
TEST_CASE("rows are reduced by the documented tree: int32") { CheckRows<int32_t>(); }
TEST_CASE("rows are reduced by the documented tree: int64") { CheckRows<int64_t>(); }

TEST_CASE("columns do not depend on the split or the vector unit") {
  constexpr int64_t kOuter = 2, kN = 300, kInner = 131;
  std::vector<float> x = Values<float>(kOuter * kN * kInner, 3);
  for (float& v : x) v = std::isfinite(v) && std::abs(v) < 1e3f ? v : 1.0f;
  for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kMean, ReduceOp::kSumSquares}) {
    std::vector<float> whole(kOuter * kInner), parts(kOuter * kInner), baseline(kInner);
    Reduce(op, VecType::kF32, x.data(), whole.data(), kOuter, kN, kInner, 0, kInner);
    for (int64_t begin : {0, 1, 50, 130}) {
      const int64_t end = begin == 0 ? 1 : begin == 1 ? 50 : begin == 50 ? 130 : 131;
      Reduce(op, VecType::kF32, x.data(), parts.data(), kOuter, kN, kInner, begin, end);
    }
    CHECK(whole == parts);
    if (op == ReduceOp::kMean) continue;
    vec::ReductionsFor(vec::Isa::kBaseline).columns[static_cast<int>(op)][0](x.data(), baseline.data(), kN, kInner, 0, kInner);
    CHECK(std::equal(baseline.begin(), baseline.end(), whole.begin()));
  }
}

TEST_CASE("float sums are exact where double sums would be") {
  constexpr int64_t kN = 1 << 25;
  const std::vector<float> ones(kN, 1.0f);
  float sum = 0, mean = 0;
  Reduce(ReduceOp::kSum, VecType::kF32, ones.data(), &sum, 1, kN, 1, 0, 1);
  Reduce(ReduceOp::kMean, VecType::kF32, ones.data(), &mean, 1, kN, 1, 0, 1);
  CHECK(sum == kN);
  CHECK(mean == 1);
  std::vector<float> columns(2);
  Reduce(ReduceOp::kSumSquares, VecType::kF32, ones.data(), columns.data(), 1, kN / 2, 2, 0, 2);
  CHECK((columns[0] == kN / 2 && columns[1] == kN / 2));
}

TEST_CASE("reductions of nothing, of NaN, of bools and means of integers") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto empty = [](ReduceOp op) {
    float y = 7;
    Reduce(op, VecType::kF32, nullptr, &y, 1, 0, 1, 0, 1);
    return y;
  };
  CHECK(empty(ReduceOp::kSum) == 0);
  CHECK(empty(ReduceOp::kProd) == 1);
  CHECK(empty(ReduceOp::kMax) == -kInf);
  CHECK(empty(ReduceOp::kMin) == kInf);
  CHECK(std::isnan(empty(ReduceOp::kMean)));
  for (int at = 0; at < 70; ++at) {
    std::vector<float> x(70, 1.0f);
    x[at] = std::numeric_limits<float>::quiet_NaN();
    float max, min;
    Reduce(ReduceOp::kMax, VecType::kF32, x.data(), &max, 1, 70, 1, 0, 1);
    Reduce(ReduceOp::kMin, VecType::kF32, x.data(), &min, 1, 70, 1, 0, 1);
    CHECK((std::isnan(max) && std::isnan(min)));
  }
  const int32_t ints[3] = {-2, -2, -3}, large[2] = {2000000000, 2000000000};
  int32_t mean;
  Reduce(ReduceOp::kMean, VecType::kI32, ints, &mean, 1, 3, 1, 0, 1);
  CHECK(mean == -2);
  Reduce(ReduceOp::kMean, VecType::kI32, large, &mean, 1, 2, 1, 0, 1);
  CHECK(mean == 2000000000);
  Reduce(ReduceOp::kMean, VecType::kI32, nullptr, &mean, 1, 0, 1, 0, 1);
  CHECK(mean == 0);
  const uint8_t bools[6] = {1, 1, 0, 1, 0, 0};  // [2, 3] and columns of it
  uint8_t y[3];
  Reduce(ReduceOp::kAll, VecType::kBool, bools, y, 2, 3, 1, 0, 1);
  CHECK((y[0] == 0 && y[1] == 0));
  Reduce(ReduceOp::kAny, VecType::kBool, bools, y, 2, 3, 1, 0, 1);
  CHECK((y[0] == 1 && y[1] == 1));
  Reduce(ReduceOp::kAny, VecType::kBool, bools, y, 1, 2, 3, 0, 3);
  CHECK((y[0] == 1 && y[1] == 1 && y[2] == 0));
  Reduce(ReduceOp::kAll, VecType::kBool, nullptr, y, 1, 0, 1, 0, 1);
  CHECK(y[0] == 1);
}

template <typename T>
void CheckSoftmax(VecType type, double tolerance) {
  for (int64_t n : {1, 2, 3, 10, 17, 64, 100, 5000}) {
    std::vector<T> x(3 * n), y(3 * n), log(3 * n);
    std::mt19937 random(n);
    for (T& v : x) v = std::normal_distribution<T>(0, 5)(random);
    Softmax(type, x.data(), y.data(), 3, n);
    LogSoftmax(type, x.data(), log.data(), 3, n);
    for (int r = 0; r < 3; ++r) {
      const T* row = x.data() + r * n;
      const long double m = *std::max_element(row, row + n);
      long double sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += std::exp(row[i] - m);
      for (int64_t i = 0; i < n; ++i) {
        const double want = static_cast<double>(std::exp(row[i] - m) / sum), want_log = static_cast<double>(row[i] - m - std::log(sum));
        if (std::abs(y[r * n + i] - want) > tolerance * want) FAIL("softmax " << y[r * n + i] << ", want " << want);
        if (std::abs(log[r * n + i] - want_log) > tolerance * (1 + std::abs(want_log))) FAIL("log-softmax " << log[r * n + i] << ", want " << want_log);
      }
    }
  }
  SUCCEED();
}

TEST_CASE("softmax and log-softmax of float and double rows") {
  CheckSoftmax<float>(VecType::kF32, 3e-6);
  CheckSoftmax<double>(VecType::kF64, 5e-15);
}

TEST_CASE("softmax of infinities is NaN, log-softmax of large numbers is exact") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float x[4] = {-kInf, -kInf, kInf, 0}, large[2] = {1000, 0};
  float y[4];
  Softmax(VecType::kF32, x, y, 2, 2);
  CHECK((std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[2])));
  LogSoftmax(VecType::kF32, large, y, 1, 2);
  CHECK((y[0] == 0 && y[1] == -1000));
  Softmax(VecType::kF32, nullptr, nullptr, 2, 0);
}

}  // namespace
}  // namespace tandem
