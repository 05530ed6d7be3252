#include <catch2/catch.hpp>
#include <random>

#include "core/context.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

template <class T>
Tensor Random(const Shape& shape, int seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(static_cast<size_t>(*shape.num_elements()));
  for (T& v : values) v = static_cast<T>(static_cast<float>(normal(generator)));
  return Tensor::FromData<T>(shape, values);
}

Tensor Sizes(const Shape& shape) { return Tensor(std::vector<int32_t>(shape.begin(), shape.end())); }

double Dot(const Tensor& a, const Tensor& b) {
  const auto x = a.ToVector<double>(), y = b.ToVector<double>();
  REQUIRE(x.size() == y.size());
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double Distance(const Tensor& a, const Tensor& b) {
  const auto x = a.ToVector<double>(), y = b.ToVector<double>();
  REQUIRE(x.size() == y.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

struct Geometry {
  Shape image, filter;
  Conv2DOptions options;
};

const Geometry kGeometries[] = {
    {{2, 5, 4, 3}, {3, 2, 3, 2}, {.padding = "SAME"}},
    {{2, 5, 4, 3}, {3, 2, 3, 2}, {.strides = {1, 2, 2, 1}, .padding = "SAME"}},
    {{1, 9, 9, 3}, {3, 3, 3, 5}, {}},
    {{3, 1, 9, 2}, {1, 5, 2, 3}, {.strides = {1, 1, 2, 1}, .padding = "SAME"}},
    {{1, 5, 5, 1}, {3, 3, 1, 2}, {.strides = {1, 2, 2, 1}, .padding = "EXPLICIT", .explicit_paddings = {0, 0, 1, 1, 2, 2, 0, 0}}},
    {{1, 4, 4, 2}, {2, 2, 2, 1}, {.padding = "EXPLICIT", .explicit_paddings = {0, 0, 1, 0, 0, 2, 0, 0}}},
    {{1, 3, 2, 2}, {2, 2, 2, 3}, {.padding = "EXPLICIT", .explicit_paddings = {0, 0, 4, 5, 3, 4, 0, 0}}},  // windows of padding only
    {{2, 9, 8, 3}, {3, 3, 3, 4}, {.padding = "SAME", .dilations = {1, 2, 3, 1}}},
    {{2, 7, 7, 6}, {3, 3, 2, 9}, {.padding = "SAME"}},                                                     // three groups
    {{2, 6, 6, 8}, {3, 3, 1, 8}, {.strides = {1, 2, 2, 1}, .padding = "SAME"}},                            // depthwise
    {{1, 5, 5, 1}, {2, 2, 1, 1}, {.strides = {1, 3, 3, 1}}},
    {{4, 28, 28, 1}, {5, 5, 1, 32}, {.padding = "SAME"}},
    {{2, 14, 14, 32}, {5, 5, 32, 64}, {.padding = "SAME"}},
    {{2, 8, 8, 16}, {1, 1, 16, 24}, {}},
    {{2, 8, 8, 16}, {1, 1, 16, 24}, {.strides = {1, 2, 2, 1}, .padding = "SAME"}},
};

Tensor ChannelsFirst(const Tensor& x) {
  const Shape s = x.shape();
  std::vector<float> out(static_cast<size_t>(x.size()));
  const auto in = x.data<float>();
  for (int64_t n = 0; n < s[0]; ++n)
    for (int64_t p = 0; p < s[1] * s[2]; ++p)
      for (int64_t c = 0; c < s[3]; ++c) out[(n * s[3] + c) * s[1] * s[2] + p] = in[(n * s[1] * s[2] + p) * s[3] + c];
  return Tensor::FromData<float>({s[0], s[3], s[1], s[2]}, out);
}

template <size_t N>
std::array<int64_t, N> ChannelsFirst(const std::array<int64_t, N>& a) {
  constexpr size_t k = N / 4;
  std::array<int64_t, N> out;
  for (size_t i = 0; i < N; ++i) out[i] = a[std::array<size_t, 4>{0, 3, 1, 2}[i / k] * k + i % k];
  return out;
}

}  // namespace

// float32 takes oneDNN, float64 plain loops: they check each other. The three parts of a convolution are bound by
// <dy, x*w> = <dx, x> = <dw, w>, where dx and dw are linear in dy.
TEST_CASE("the convolution and its gradients agree in float32, float64 and with each other") {
  for (const Geometry& g : kGeometries) {
    CAPTURE(g.image.ToString(), g.filter.ToString());
    const Tensor x = Random<float>(g.image, 1), w = Random<float>(g.filter, 2);
    const Tensor x64 = Random<double>(g.image, 1), w64 = Random<double>(g.filter, 2);
    const Tensor y = Conv2D(x, w, g.options), y64 = Conv2D(x64, w64, g.options);
    REQUIRE(y.shape() == y64.shape());
    CHECK(Distance(y, y64) < 1e-3);
    const Tensor dy = Random<float>(y.shape(), 3), dy64 = Random<double>(y.shape(), 3);
    const Tensor dx = Conv2DBackpropInput(Sizes(g.image), w, dy, g.options), dx64 = Conv2DBackpropInput(Sizes(g.image), w64, dy64, g.options);
    const Tensor dw = Conv2DBackpropFilter(x, Sizes(g.filter), dy, g.options), dw64 = Conv2DBackpropFilter(x64, Sizes(g.filter), dy64, g.options);
    CHECK(Distance(dx, dx64) < 1e-3);
    CHECK(Distance(dw, dw64) < 1e-3);
    CHECK(Dot(dy64, y64) == Approx(Dot(dx64, x64)).epsilon(1e-9).margin(1e-9));
    CHECK(Dot(dy64, y64) == Approx(Dot(dw64, w64)).epsilon(1e-9).margin(1e-9));
  }
}

TEST_CASE("channels first gives the bits of channels last") {
  for (const Geometry& g : kGeometries) {
    CAPTURE(g.image.ToString(), g.filter.ToString());
    Conv2DOptions first = g.options;
    first.data_format = "NCHW";
    first.strides = ChannelsFirst(g.options.strides);
    first.dilations = ChannelsFirst(g.options.dilations);
    first.explicit_paddings = ChannelsFirst(g.options.explicit_paddings);
    const Tensor x = Random<float>(g.image, 1), w = Random<float>(g.filter, 2);
    const Tensor y = Conv2D(x, w, g.options), dy = Random<float>(y.shape(), 3);
    CHECK(Distance(Conv2D(ChannelsFirst(x), w, first), ChannelsFirst(y)) == 0);
    CHECK(Distance(Conv2DBackpropInput(Sizes(ChannelsFirst(x).shape()), w, ChannelsFirst(dy), first),
                   ChannelsFirst(Conv2DBackpropInput(Sizes(g.image), w, dy, g.options))) == 0);
    CHECK(Distance(Conv2DBackpropFilter(ChannelsFirst(x), Sizes(g.filter), ChannelsFirst(dy), first),
                   Conv2DBackpropFilter(x, Sizes(g.filter), dy, g.options)) == 0);
  }
}

TEST_CASE("a convolution counted by hand") {
  const Tensor x = Tensor::FromData<float>({1, 3, 3, 1}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor w = Tensor::FromData<float>({2, 2, 1, 1}, std::vector<float>{1, 10, 100, 1000});
  CHECK(Conv2D(x, w).ToVector<float>() == std::vector<float>{5421, 6532, 8754, 9865});
  CHECK(Conv2D(x, w, {.padding = "SAME"}).ToVector<float>() == std::vector<float>{5421, 6532, 603, 8754, 9865, 906, 87, 98, 9});
}

TEST_CASE("convolutions over nothing") {
  CHECK(Conv2D(Ones({0, 28, 28, 1}), Ones({5, 5, 1, 32}), {.padding = "SAME"}).shape() == Shape{0, 28, 28, 32});
  const Conv2DOptions padded = {.padding = "EXPLICIT", .explicit_paddings = {0, 0, 1, 1, 1, 1, 0, 0}};
  const Tensor y = Conv2D(Ones({1, 0, 2, 1}), Ones({1, 1, 1, 1}), padded);
  CHECK(y.shape() == Shape{1, 2, 4, 1});
  CHECK(y.ToVector<float>() == std::vector<float>(8, 0.0f));
  CHECK(Conv2D(Ones({0, 4, 4, 1}), Ones({1, 1, 1, 1}), padded).shape() == Shape{0, 6, 6, 1});
  CHECK(Conv2D(Ones({1, 2, 2, 1}), Ones({3, 3, 1, 1})).shape() == Shape{1, 0, 0, 1});  // k = n + 1
  CHECK(Conv2DBackpropFilter(Ones({0, 4, 4, 1}), Sizes({2, 2, 1, 1}), Ones({0, 3, 3, 1})).ToVector<float>() == std::vector<float>(4, 0.0f));
}

TEST_CASE("a wrong convolution says what is wrong") {
  CHECK(ErrorOf([] { Conv2D(Ones({1, 4, 4, 3}), Ones({2, 2, 2, 1})); }) ==
        "Conv2D: channels differ: input is [1,4,4,3] (dim 3 = 3), filter is [2,2,2,1] (dim 2 = 2)");
  CHECK(ErrorOf([] { Conv2D(Ones({0, 0, 0, 0}), Ones({0, 0, 0, 0}), {.padding = "SAME"}); }) ==
        "Conv2D: filter is [0,0,0,0] (dim 0 = 0), must not be empty");
  CHECK(ErrorOf([] { Conv2D(Ones({1, 1, 1, 1}), Ones({1, 0, 1, 1})); }) == "Conv2D: filter is [1,0,1,1] (dim 1 = 0), must not be empty");
  CHECK(ErrorOf([] { Conv2D(Ones({1, 1, 1, 1}), Ones({1, 1, 1, 1}), {.strides = {1, 0, 1, 1}}); }) ==
        "Conv2D: strides[1] = 0, must be at least 1");
  CHECK(ErrorOf([] { Conv2D(Ones({1, 1, 1, 1}), Ones({1, 1, 1, 1}), {.dilations = {1, 1, 0, 1}}); }) ==
        "Conv2D: dilations[2] = 0, must be at least 1");
  CHECK(ErrorOf([] { Conv2D(Ones({1, 1, 1, 1}), Ones({1, 1, 1, 1}), {.strides = {2, 1, 1, 1}}); }) ==
        "Conv2D: strides[0] = 2, must be 1 along the batch");
  CHECK(ErrorOf([] { Conv2D(Ones({1, 2, 2, 1}), Ones({4, 1, 1, 1})); }) ==
        "Conv2D: the window spans 4 cells on axis 1, the padded image has 2");
  CHECK(ErrorOf([] { Conv2D(Ones({1, 2, 2, 1}), Ones({2, 1, 1, 1}), {.dilations = {1, INT64_MAX, 1, 1}}); }) ==
        "Conv2D: the window spans more than 2^63 - 1 cells on axis 1, the padded image has 2");
  CHECK(ErrorOf([] { Conv2DBackpropFilter(Ones({1, 1, 1, 2}), Sizes({1, 1, 1, 1}), Ones({1, 1, 1, 1}), {.strides = {1, 66, 49, 1}}); }) ==
        "Conv2DBackpropFilter: the 2 channels of input are 2 groups of filter's 1, which do not divide its 1 output channels");
  CHECK(ErrorOf([] { Conv2DBackpropFilter(Ones({0, 1, 1, 5}), Sizes({3, 8, 1, 1}), Ones({0, 1, 1, 1})); }).starts_with("Conv2DBackpropFilter: "));
  CHECK(ErrorOf([] { Conv2DBackpropFilter(Ones({1, 4, 4, 1}), Sizes({2, 2, 1}), Ones({1, 3, 3, 1})); }) ==
        "Conv2DBackpropFilter: filter_sizes has 3 entries, must have 4");
  CHECK(ErrorOf([] { Conv2DBackpropInput(Tensor({65534, 65534}), Ones({3, 3, 2, 2}), Tensor(1.0f)); }) ==
        "Conv2DBackpropInput: out_backprop must be of rank 4, is []");
  CHECK(ErrorOf([] { Conv2DBackpropInput(Tensor({52, 1, 1, 5}), Ones({0, 1, 5, 0}), Ones({52, 1, 1, 0})); }) ==
        "Conv2DBackpropInput: filter is [0,1,5,0] (dim 0 = 0), must not be empty");
  CHECK(ErrorOf([] { Conv2DBackpropInput(Tensor({1, 4, -1, 1}), Ones({2, 2, 1, 1}), Ones({1, 3, 3, 1})); }) ==
        "Conv2DBackpropInput: input_sizes[2] = -1, must be at least 0");
  CHECK(ErrorOf([] { Conv2DBackpropInput(Tensor({1, 4, 4, 1}), Ones({2, 2, 1, 1}), Ones({1, 4, 3, 1})); }) ==
        "Conv2DBackpropInput: out_backprop is [1,4,3,1], must be [1,3,3,1]");
}

}  // namespace tandem
