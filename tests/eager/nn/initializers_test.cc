#include "eager/nn/initializers.h"

#include <catch2/catch.hpp>

#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

namespace init = nn::initializers;

struct Moments {
  double mean, stddev, limit;
};
Moments MomentsOf(const Tensor& t) {
  const double mean = Mean(t).item<double>();
  return {mean, std::sqrt(Mean(Square(t - mean)).item<double>()), Max(Abs(t)).item<double>()};
}

}  // namespace

TEST_CASE("random initializers have the variance that their formulas say") {
  SetRandomSeed(7);
  const struct {
    const char* name;
    nn::Initializer make;
    double stddev;
    double limit;  // of absolute values
  } rows[] = {
      // fans of a [3, 3, 20, 80] filter: 180 in, 720 out
      {"glorot uniform", init::GlorotUniform(), std::sqrt(1 / 450.), std::sqrt(3 / 450.)},
      {"glorot normal", init::GlorotNormal(), std::sqrt(1 / 450.), 2 * std::sqrt(1 / 450.) / .8796},
      {"he uniform", init::HeUniform(), std::sqrt(2 / 180.), std::sqrt(6 / 180.)},
      {"he normal", init::HeNormal(), std::sqrt(2 / 180.), 2 * std::sqrt(2 / 180.) / .8796},
      {"lecun uniform", init::LecunUniform(), std::sqrt(1 / 180.), std::sqrt(3 / 180.)},
      {"lecun normal", init::LecunNormal(), std::sqrt(1 / 180.), 2 * std::sqrt(1 / 180.) / .8796},
      {"random uniform", init::RandomUniform(-.2, .2), .4 / std::sqrt(12.), .2},
      {"random normal", init::RandomNormal(0, .3), .3, 1.8},
      {"truncated normal", init::TruncatedNormal(0, .3), .3 * .8796, .6},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    const Moments m = MomentsOf(row.make({3, 3, 20, 80}, kFloat32));
    CHECK(m.mean == Approx(0).margin(.05 * row.stddev));
    CHECK(m.stddev == Approx(row.stddev).epsilon(.03));
    CHECK(m.limit <= row.limit * 1.001);
  }
  SetRandomSeed(7);
  const Tensor a = init::GlorotUniform(3)({4, 4}, kFloat32);
  SetRandomSeed(7);
  CHECK(bool(All(a == init::GlorotUniform(3)({4, 4}, kFloat32))));
}

TEST_CASE("constants") {
  CHECK(init::Zeros()({2}, kFloat64).dtype() == kFloat64);
  CHECK(Sum(init::Ones()({2, 3}, kFloat32)).item<float>() == 6);
  CHECK(Sum(init::Constant(.5)({4}, kFloat32)).item<float>() == 2);
}

TEST_CASE("Orthogonal gives orthonormal columns, or rows") {
  for (const Shape& shape : {Shape{5, 3}, Shape{3, 5}, Shape{4, 4}, Shape{2, 3, 4}, Shape{3, 1}, Shape{1, 1}}) {
    INFO(shape.ToString());
    const int64_t columns = shape.back(), rows = *shape.num_elements() / columns;
    const Tensor q = Reshape(init::Orthogonal(2)(shape, kFloat64), {rows, columns});
    const Tensor gram = rows < columns ? MatMul(q, q, {.transpose_b = true}) : MatMul(q, q, {.transpose_a = true});
    const auto n = static_cast<int32_t>(std::min(rows, columns));
    const Tensor want = OneHot(Range(n), n, Tensor(std::vector<double>{4})[0], Tensor(std::vector<double>{0})[0]);
    CHECK(Difference(gram, want, {.rtol = 1e-12, .atol = 1e-12}) == "");
  }
  CHECK(Thrown([] { init::Orthogonal()({4}, kFloat32); }) == "INVALID_ARGUMENT Orthogonal: shape is [4], must have rank 2 or more");
}

}  // namespace tandem
