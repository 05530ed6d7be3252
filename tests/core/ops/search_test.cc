// ArgMax, ArgMin and TopK: ties, NaN, dtypes of axes and indices, what they refuse.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
Tensor Vector(const std::vector<float>& v) { return Tensor(v); }
Tensor Empty(const Shape& shape) { return Tensor::FromData<float>(shape, std::span<const float>()); }

}  // namespace

TEST_CASE("the first of equals, never NaN while there is a number") {
  CHECK(ArgMax(Vector({1, 3, 3})).item<int>() == 1);
  CHECK(ArgMin(Vector({1, 3, 1})).item<int>() == 0);
  CHECK(ArgMax(Vector({kNan, 1, 3})).item<int>() == 2);
  CHECK(ArgMax(Vector({kNan, -kInf})).item<int>() == 1);
  CHECK(ArgMin(Vector({kNan, kInf, kNan})).item<int>() == 1);
  CHECK(ArgMax(Vector({kNan, kNan})).item<int>() == 0);
  CHECK(ArgMax(Vector({-kInf, -kInf})).item<int>() == 0);
}

TEST_CASE("axes of every integer dtype, and where no element is left") {
  const Tensor x = {{1, 2, 3}, {9, 0, 4}};
  CHECK(ArgMax(x, Tensor(int64_t{1})).ToVector<int>() == std::vector<int>{2, 0});
  CHECK(ArgMax(x, Tensor(std::vector<int16_t>{0})).ToVector<int>() == std::vector<int>{1, 0, 1});
  CHECK(ArgMin(x, -1, kInt32).dtype() == kInt32);
  CHECK(ArgMax(x, 0).dtype() == kInt64);
  CHECK(ArgMax(Empty({2, 0}), 0).shape() == Shape{0});
  CHECK(Sum(x, Tensor(std::vector<int64_t>{1})).ToVector<int>() == std::vector<int>{6, 13});
  CHECK(CumSum(x, Tensor(int64_t{0})).ToVector<int>() == std::vector<int>{1, 2, 3, 10, 2, 7});
  CHECK(Thrown([] { ArgMax(Empty({0})); }) == "INVALID_ARGUMENT ArgMax: dimension 0 has no elements: input is [0]");
  CHECK(Thrown([&] { ArgMax(x, 2); }) == "INVALID_ARGUMENT ArgMax: dimension is 2, must be in [-2, 2)");
  CHECK(Thrown([&] { CumSum(x, 2); }) == "INVALID_ARGUMENT Cumsum: axis is 2, must be in [-2, 2)");
  CHECK(Thrown([&] { ArgMax(x, 0, kFloat32); }).starts_with("INVALID_ARGUMENT ArgMax: attribute output_type is float32, must be one of "));
}

TEST_CASE("the greatest come first, equals by index, NaN last") {
  const auto top = TopK(Vector({1, kNan, 3, 3, -kInf}), 5);
  CHECK(top.indices.ToVector<int>() == std::vector<int>{2, 3, 0, 4, 1});
  CHECK(top.values.ToVector<float>()[0] == 3);
  CHECK(std::isnan(top.values.ToVector<float>()[4]));
  // Few of many go another way than many of few.
  std::vector<float> many(1000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i * 7919 % 101);
  const auto few = TopK(Vector(many), 3).indices.ToVector<int>(), all = TopK(Vector(many), 1000).indices.ToVector<int>();
  CHECK(few == std::vector<int>(all.begin(), all.begin() + 3));
  for (size_t i = 1; i < all.size(); ++i)
    CHECK((many[all[i - 1]] > many[all[i]] || (many[all[i - 1]] == many[all[i]] && all[i - 1] < all[i])));
}

TEST_CASE("k is checked") {
  const Tensor x = Vector({1, 2, 3});
  CHECK(Thrown([&] { TopK(x, -1); }) == "INVALID_ARGUMENT TopKV2: k is -1, must not be negative");
  CHECK(Thrown([&] { TopK(x, 4); }) == "INVALID_ARGUMENT TopKV2: k is 4, the last dimension of input has only 3: input is [3]");
  CHECK(Thrown([&] { TopK(x, {{1, 1}}); }) == "INVALID_ARGUMENT TopKV2: k must be a scalar, is [1,2]");
  CHECK(Thrown([&] { TopK(Tensor(1.f), 1); }) == "INVALID_ARGUMENT TopKV2: input must have rank 1 or more, is []");
  CHECK(TopK(Empty({0, 3}), 2).indices.shape() == Shape{0, 2});
  CHECK(TopK(x, 0).values.shape() == Shape{0});
}

}  // namespace tandem
