#include <catch2/catch.hpp>
#include <cmath>

#include "core/context.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor Image(const Shape& shape, std::vector<float> values) { return Tensor::FromData<float>(shape, values); }

using List = std::span<const int64_t>;
constexpr std::array<int64_t, 4> kTwo = {1, 2, 2, 1}, kOne = {1, 1, 1, 1};

Tensor MaxPoolGrad(const Tensor& x, const Tensor& y, const Tensor& dy, const PoolOptions& o) {
  return Run(Op<"MaxPoolGrad">(), {x, y, dy}, {List(o.ksize), List(o.strides), o.padding, o.padding == "EXPLICIT" ? List(o.explicit_paddings) : List(), o.data_format});
}

}  // namespace

TEST_CASE("MaxPool takes the largest, padding never wins, NaN does") {
  const Tensor x = Image({1, 3, 3, 1}, {-9, -2, -3, -4, -5, -6, -7, -8, -1});
  CHECK(MaxPool(x, {.strides = {1, 1, 1, 1}}).ToVector<float>() == std::vector<float>{-2, -2, -4, -1});
  CHECK(MaxPool(x, {.padding = "SAME"}).ToVector<float>() == std::vector<float>{-2, -3, -7, -1});
  const auto y = MaxPool(Image({1, 1, 4, 1}, {1, kNaN, 2, 3}), {.ksize = {1, 1, 2, 1}, .strides = {1, 1, 2, 1}}).ToVector<float>();
  CHECK(std::isnan(y[0]));
  CHECK(y[1] == 3);
  CHECK(MaxPool(Image({1, 1, 2, 1}, {-kInfinity, -kInfinity}), {.ksize = {1, 1, 2, 1}, .strides = {1, 1, 1, 1}}).ToVector<float>() ==
        std::vector<float>{-kInfinity});
  CHECK(MaxPool(Ones({1, 1, 1, 1}), {.ksize = {1, 2147483647, 1, 1}, .strides = {1, 1, 1, 1}, .padding = "SAME"}).ToVector<float>() ==
        std::vector<float>{1});
}

TEST_CASE("AvgPool counts real cells only") {
  const Tensor x = Image({1, 1, 5, 1}, {1, 2, 3, 4, 5});
  CHECK(AvgPool(x, {.ksize = {1, 1, 3, 1}, .strides = {1, 1, 2, 1}, .padding = "SAME"}).ToVector<float>() == std::vector<float>{1.5, 3, 4.5});
  CHECK(AvgPool(Ones({1, 1, 1, 1}), {.ksize = {1, 2147483647, 1, 1}, .strides = {1, 1, 1, 1}, .padding = "SAME"}).ToVector<float>() ==
        std::vector<float>{1});
  CHECK(AvgPool(Ones({0, 4, 4, 2})).shape() == Shape{0, 2, 2, 2});
}

TEST_CASE("pools in channels first, and over channels") {
  const Tensor first = Image({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), last = Image({1, 2, 2, 2}, {1, 5, 2, 6, 3, 7, 4, 8});
  CHECK(MaxPool(first, {.ksize = {1, 1, 2, 2}, .strides = {1, 1, 2, 2}, .data_format = "NCHW"}).ToVector<float>() == std::vector<float>{4, 8});
  CHECK(MaxPool(last).ToVector<float>() == std::vector<float>{4, 8});
  CHECK(MaxPool(last, {.ksize = {1, 1, 1, 2}, .strides = {1, 1, 1, 2}}).ToVector<float>() == std::vector<float>{5, 6, 7, 8});
  CHECK(AvgPool(first, {.ksize = {1, 1, 2, 2}, .strides = {1, 1, 2, 2}, .data_format = "NCHW"}).ToVector<float>() == std::vector<float>{2.5, 6.5});
}

TEST_CASE("the gradient of a maximum goes to its first place") {
  const PoolOptions all = {};
  const Tensor x = Image({1, 2, 2, 1}, {1, 2, 2, 2}), one = Ones({1, 1, 1, 1});
  CHECK(MaxPoolGrad(x, MaxPool(x), one, all).ToVector<float>() == std::vector<float>{0, 1, 0, 0});
  const PoolOptions overlapping = {.ksize = {1, 1, 2, 1}, .strides = {1, 1, 1, 1}};
  const Tensor row = Image({1, 1, 3, 1}, {0, 5, 1});
  CHECK(MaxPoolGrad(row, MaxPool(row, overlapping), Image({1, 1, 2, 1}, {3, 4}), overlapping).ToVector<float>() == std::vector<float>{0, 7, 0});
  const Tensor nan = Image({1, 2, 2, 1}, {1, kNaN, 3, kNaN});
  CHECK(MaxPoolGrad(nan, MaxPool(nan), one, all).ToVector<float>() == std::vector<float>{0, 1, 0, 0});
  const Tensor low = Image({1, 2, 2, 1}, {-kInfinity, -kInfinity, -kInfinity, -kInfinity});
  CHECK(MaxPoolGrad(low, MaxPool(low), one, all).ToVector<float>() == std::vector<float>{1, 0, 0, 0});
}

TEST_CASE("a wrong pool says what is wrong") {
  CHECK(ErrorOf([] { AvgPool(Ones({1, 1, 1, 1}), {.ksize = {1, -2147483648, 1, 1}, .strides = {1, 1, 1, 1}, .padding = "SAME"}); }) ==
        "AvgPool: ksize[1] = -2147483648, must be at least 1");
  CHECK(ErrorOf([] { AvgPool(Ones({1, 1, 1, 1}), {.ksize = {1, 0, 1, 1}}); }) == "AvgPool: ksize[1] = 0, must be at least 1");
  CHECK(ErrorOf([] { MaxPool(Ones({1, 2, 2, 1}), {.ksize = {1, 3, 3, 1}}); }) ==
        "MaxPool: the window spans 3 cells on axis 1, the padded image has 2");
  CHECK(ErrorOf([] { MaxPool(Ones({1, 2, 2, 1}), {.ksize = {1, 4634247419717959497, 1, 1}}); }) ==
        "MaxPool: the window spans 4634247419717959497 cells on axis 1, the padded image has 2");
  const std::array<int64_t, 3> three = {1, 1, 1};
  CHECK(ErrorOf([&] { Run(Op<"AvgPool">(), {Ones({1, 2, 2, 1})}, {List(three), List(kOne), "SAME", "NHWC"}); }) ==
        "AvgPool: attribute ksize has 3 elements, needs at least 4");
  const auto avg_grad = [](const Tensor& shape) {
    return ErrorOf([&] { Run(Op<"AvgPoolGrad">(), {shape, Ones({1, 5, 7, 1})}, {List(kTwo), List(kTwo), "VALID", "NHWC"}); });
  };
  CHECK(avg_grad(Tensor({-536870912, -536870912, -536870912, -536870912})) == "AvgPoolGrad: orig_input_shape[0] = -536870912, must be at least 0");
  CHECK(avg_grad(Tensor({65536, 65536, 65536, 65536})) == "AvgPoolGrad: orig_input_shape is [65536,65536,65536,65536], more than 2^63 - 1 elements");
  CHECK(avg_grad(Tensor({1, 2, 3})) == "AvgPoolGrad: orig_input_shape has 3 entries, must have 4");
  const PoolOptions one = {.ksize = kOne, .strides = kOne};
  CHECK(ErrorOf([&] { MaxPoolGrad(Ones({1, 1, 1, 1}), Ones({1, 1, 1, 1}), Ones({0, 0, 0, 0}), one); }) ==
        "MaxPoolGrad: grad is [0,0,0,0], must be [1,1,1,1]");
  const PoolOptions wide = {.ksize = {1, 16, 16, 1}, .strides = {1, 16, 18, 1}, .padding = "EXPLICIT", .explicit_paddings = {0, 0, 14, 3, 15, 5, 0, 0}};
  CHECK(ErrorOf([&] { MaxPoolGrad(Ones({3, 0, 0, 2}), Ones({3, 0, 0, 2}), Ones({3, 0, 0, 2}), wide); }) ==
        "MaxPoolGrad: orig_output is [3,0,0,2], must be [3,1,1,2]");
}

}  // namespace tandem
