#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/context.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

Tensor Random(const Shape& shape, int seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(*shape.num_elements()));
  for (float& v : values) v = normal(generator);
  return Tensor::FromData<float>(shape, values);
}

}  // namespace

TEST_CASE("MatMul multiplies, transposed or not") {
  const Tensor a = {{1., 2.}, {3., 4.}};
  const Tensor b = {{1., 10.}, {100., 1000.}};
  CHECK(MatMul(a, b).ToVector<float>() == std::vector<float>{201, 2010, 403, 4030});
  CHECK(MatMul(a, b, {.transpose_a = true}).ToVector<float>() == std::vector<float>{301, 3010, 402, 4020});
  CHECK(MatMul(a, b, {.transpose_b = true}).ToVector<float>() == std::vector<float>{21, 2100, 43, 4300});
  const Tensor x = {{1., 2., 3.}}, y = {{4., 5., 6.}};
  CHECK(MatMul(x, y, {.transpose_b = true}).ToVector<float>() == std::vector<float>{32});
}

TEST_CASE("MatMul agrees with sums in double for odd sizes") {
  for (auto [m, k, n] : {std::array{7, 17, 33}, {1, 784, 10}, {64, 100, 3}, {129, 65, 31}}) {
    for (int t = 0; t < 4; ++t) {
      const bool ta = t & 1, tb = t & 2;
      const Tensor a = Random(ta ? Shape{k, m} : Shape{m, k}, 1), b = Random(tb ? Shape{n, k} : Shape{k, n}, 2);
      const Tensor c = MatMul(a, b, {ta, tb});
      REQUIRE(c.shape() == Shape{m, n});
      const auto pa = a.data<float>(), pb = b.data<float>(), pc = c.data<float>();
      double worst = 0;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 0, bound = 0;
          for (int p = 0; p < k; ++p) {
            const double term = double(pa[ta ? p * m + i : i * k + p]) * pb[tb ? j * k + p : p * n + j];
            sum += term;
            bound += std::abs(term);
          }
          worst = std::max(worst, std::abs(pc[i * n + j] - sum) / bound);
        }
      CHECK(worst < 1e-6);
    }
  }
}

TEST_CASE("MatMul of an empty inner dimension is zero, of an empty outer one empty") {
  const Tensor c = MatMul(Random({2, 0}, 1), Random({0, 3}, 1));
  CHECK(c.shape() == Shape{2, 3});
  CHECK(c.ToVector<float>() == std::vector<float>(6, 0.0f));
  CHECK(MatMul(Random({0, 3}, 1), Random({3, 2}, 1)).shape() == Shape{0, 2});
}

TEST_CASE("MatMul of integers wraps, of other dtypes keeps them") {
  const Tensor big = {{1 << 30, 3}};
  CHECK(MatMul(big, Tensor({{4}, {5}})).item<int>() == 15);
  const std::vector<std::complex<float>> z = {{1, 2}, {3, -1}};
  const Tensor zt = Tensor::FromData<std::complex<float>>({1, 2}, z);
  using C = std::vector<std::complex<float>>;
  const auto values = [](const Tensor& t) { return C(t.data<std::complex<float>>().begin(), t.data<std::complex<float>>().end()); };
  CHECK(values(MatMul(zt, zt, {.transpose_b = true})) == C{{5, -2}});
  CHECK(values(BatchMatMul(zt, zt, {.adj_y = true})) == C{{15, 0}});
  std::vector<BFloat16> h(300, BFloat16(1.0f));
  const Tensor sum = MatMul(Tensor::FromData<BFloat16>({1, 300}, h), Tensor::FromData<BFloat16>({300, 1}, h));
  CHECK(float(sum.data<BFloat16>()[0]) == 300.0f);
}

TEST_CASE("BatchMatMul broadcasts batch dimensions") {
  const Tensor x = Random({2, 1, 3, 4}, 1), y = Random({5, 4, 6}, 2);
  const Tensor z = BatchMatMul(x, y);
  REQUIRE(z.shape() == Shape{2, 5, 3, 6});
  const auto px = x.data<float>(), py = y.data<float>(), pz = z.data<float>();
  for (int b = 0; b < 10; ++b)
    for (int i = 0; i < 18; ++i) {
      float sum = 0;
      for (int p = 0; p < 4; ++p) sum += px[b / 5 * 12 + i / 6 * 4 + p] * py[b % 5 * 24 + p * 6 + i % 6];
      CHECK(pz[b * 18 + i] == Approx(sum).margin(1e-6));
    }
}

TEST_CASE("a wrong MatMul says what differs") {
  CHECK(ErrorOf([] { MatMul(Random({2, 3}, 1), Random({4, 5}, 1)); }) ==
        "MatMul: inner dimensions differ: a is [2,3] (dim 1 = 3), b is [4,5] (dim 0 = 4)");
  CHECK(ErrorOf([] { MatMul(Random({2, 3}, 1), Random({4}, 1)); }) == "MatMul: b must be a matrix, is [4]");
  CHECK(ErrorOf([] { BatchMatMul(Random({2, 1, 3}, 1), Random({3, 3, 1}, 1)); }) ==
        "BatchMatMulV2: batch dimensions do not broadcast: x is [2,1,3], y is [3,3,1]");
}

}  // namespace tandem
