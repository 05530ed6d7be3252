// Reductions over every set of axes, against a plain loop; accumulators, empties, order independence.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/parallel.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

template <class T>
Tensor Filled(const Shape& shape, T value) {
  return Tensor::FromData<T>(shape, std::vector<T>(static_cast<size_t>(*shape.num_elements()), value));
}

// The sum over the axes of `mask`, element by element in double.
std::vector<double> PlainSum(const std::vector<double>& x, const std::vector<int64_t>& dims, unsigned mask) {
  std::map<int64_t, double> sums;
  for (size_t flat = 0; flat < x.size(); ++flat) {
    int64_t rest = static_cast<int64_t>(flat), key = 0, unit = 1;
    for (size_t axis = dims.size(); axis-- > 0;) {
      const int64_t at = rest % dims[axis];
      rest /= dims[axis];
      if (mask >> axis & 1) continue;
      key += at * unit;
      unit *= dims[axis];
    }
    sums[key] += x[flat];
  }
  std::vector<double> out;
  for (auto& [key, sum] : sums) out.push_back(sum);
  return out;
}

}  // namespace

TEST_CASE("every set of axes sums what a plain loop sums") {
  const std::vector<int64_t> dims = {3, 2, 1, 5, 4};
  std::vector<double> x(120);
  std::iota(x.begin(), x.end(), -50);
  const Tensor tensor = Tensor::FromData<double>({3, 2, 1, 5, 4}, x);
  const Tensor single = Tensor::FromData<float>({3, 2, 1, 5, 4}, std::vector<float>(x.begin(), x.end()));
  for (unsigned mask = 0; mask < 32; ++mask) {
    std::vector<int32_t> axes;
    for (int a = 0; a < 5; ++a)
      if (mask >> a & 1) axes.push_back(a % 2 ? a : a - 5);
    CAPTURE(mask);
    CHECK(Sum(tensor, axes).ToVector<double>() == PlainSum(x, dims, mask));
    CHECK(Sum(single, axes).ToVector<double>() == PlainSum(x, dims, mask));
    CHECK(Sum(tensor, axes, {.keep_dims = true}).rank() == 5);
  }
}

TEST_CASE("long sums are exact where a chain would stick") {
  CHECK(Sum(Filled<float>({1 << 25}, 1.0f)).item<double>() == 33554432.0);
  CHECK(Sum(Filled<float>({1 << 22, 2}, 1.0f), 0).ToVector<double>() == std::vector<double>{1 << 22, 1 << 22});
  CHECK(Sum(Filled<Half>({20000}, Half(1.0f))).item<double>() == 20000);
  CHECK(Mean(Filled<Half>({20000}, Half(1.0f))).item<double>() == 1);
  CHECK(Sum(Filled<BFloat16>({70000}, BFloat16(1.0f))).item<double>() == 70144);
  CHECK(Mean(Filled<BFloat16>({70000}, BFloat16(1.0f))).item<double>() == 1);
  CHECK(Mean(Filled<Half>({1024}, Half(100.0f))).item<double>() == 100);
  CHECK(Mean(Filled<uint8_t>({256}, 0)).item<int>() == 0);
  CHECK(Mean(Tensor(std::vector<uint8_t>{200, 100})).item<int>() == 150);
  CHECK(Mean(Tensor(std::vector<int32_t>{-3, 0})).item<int>() == -1);
}

TEST_CASE("sums wrap in their own integer type") {
  CHECK(Sum(Tensor(std::vector<int8_t>{100, 100})).item<int>() == -56);
  CHECK(Prod(Tensor(std::vector<int32_t>{65536, 65536})).item<int>() == 0);
  CHECK(Prod(Tensor(std::vector<uint8_t>{16, 17})).item<int>() == 16);
}

TEST_CASE("a reduction over nothing gives its identity") {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor none = Tensor::FromData<float>({0, 3}, std::span<const float>());
  CHECK(Sum(none, 0).ToVector<float>() == std::vector<float>(3, 0));
  CHECK(Prod(none, 0).ToVector<float>() == std::vector<float>(3, 1));
  CHECK(Max(none, 0).ToVector<float>() == std::vector<float>(3, -inf));
  CHECK(Min(none, 0).ToVector<float>() == std::vector<float>(3, inf));
  for (float m : Mean(none, 0).ToVector<float>()) CHECK(std::isnan(m));
  CHECK(Max(Tensor(std::vector<int32_t>{})).item<int>() == std::numeric_limits<int32_t>::min());
  CHECK(Mean(Tensor(std::vector<int32_t>{})).item<int>() == 0);
  CHECK(Max(Tensor::FromData<float>({2, 0}, std::span<const float>()), 0).shape() == Shape{0});
  CHECK(All(Tensor(std::vector<bool>{})).item<bool>());
  CHECK(!Any(Tensor(std::vector<bool>{})).item<bool>());
}

TEST_CASE("NaN wins, wherever it stands") {
  for (int at : {0, 1, 31, 32, 63, 70, 4100}) {
    std::vector<float> x(5000, 1.0f);
    x[at] = NAN;
    CHECK(std::isnan(Max(Tensor(x)).item<float>()));
    CHECK(std::isnan(Min(Tensor(x)).item<float>()));
    CHECK(std::isnan(Max(Tensor::FromData<float>({2500, 2}, x), 0).ToVector<float>()[at % 2]));
  }
}

TEST_CASE("all and any") {
  const Tensor x = {{true, false}, {true, true}};
  CHECK(All(x, 1).ToVector<int>() == std::vector<int>{0, 1});
  CHECK(Any(x, 0).ToVector<int>() == std::vector<int>{1, 1});
  CHECK(!All(x).item<bool>());
}

TEST_CASE("bits do not depend on threads") {
  std::vector<float> x(300000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i) * 0.7f);
  for (const Shape& shape : {Shape{300000}, Shape{100000, 3}, Shape{3, 100000}, Shape{10, 300, 100}}) {
    const Tensor t = Tensor::FromData<float>(shape, x);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      SetNumThreads(1);
      const auto one = Sum(t, axis).ToVector<float>();
      for (int threads : {2, 3, 8}) {
        SetNumThreads(threads);
        CHECK(Sum(t, axis).ToVector<float>() == one);
      }
      SetNumThreads(0);
    }
  }
}

TEST_CASE("axes are checked") {
  const Tensor x = {{1., 2.}, {3., 4.}};
  CHECK(ErrorOf([&] { Sum(x, 2); }) == "Sum: reduction_indices[0] is 2, must be in [-2, 2) for an input [2,2]");
  CHECK(ErrorOf([&] { Max(x, {0, -2}); }) == "Max: reduction_indices has axis 0 twice, for an input [2,2]");
  CHECK(ErrorOf([&] { Sum(x, {{0}, {1}}); }) == "Sum: reduction_indices must be a scalar or a vector, is [2,1]");
  CHECK(ErrorOf([&] { Sum(Tensor(std::vector<bool>{true})); }).starts_with("Sum: input is bool, must be one of "));
}

TEST_CASE("a variable's updates leave values that were read alone") {
  Variable v({1., 2.});
  const Tensor before = v.Read();
  CHECK(v.AssignAdd({1., 1.}).ToVector<float>() == std::vector<float>{2, 3});
  CHECK(before.ToVector<float>() == std::vector<float>{1, 2});
  const void* place = v.Read().rep()->data;
  v.AssignSub({0.5, 0.5});
  CHECK(v.Read().rep()->data == place);  // nobody else held it
  CHECK(v.Read().ToVector<float>() == std::vector<float>{1.5, 2.5});
  CHECK(ErrorOf([&] { v.AssignAdd(1.); }) == "AssignAddVariableOp: the variable is [2], value is []");
}

}  // namespace tandem
