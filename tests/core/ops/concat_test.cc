#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

using Values = std::vector<int>;
const Tensor kA = {{1, 2}, {3, 4}}, kB = {{5}, {6}};

TEST_CASE("concat, stack and their inverses") {
  CHECK(Concat({kA, kB}, 1).ToVector<int>() == Values{1, 2, 5, 3, 4, 6});
  CHECK(Concat({kA, kB}, -1).shape() == Shape{2, 3});
  CHECK(Concat({kA, kA}, 0).shape() == Shape{4, 2});
  CHECK(Concat({Zeros({0, 2}), Zeros({3, 2})}, 0).shape() == Shape{3, 2});
  CHECK(Stack({kA, kA}, 1).ToVector<int>() == Values{1, 2, 1, 2, 3, 4, 3, 4});
  CHECK(Stack({Tensor(1), Tensor(2)}).ToVector<int>() == Values{1, 2});
  CHECK(Stack({kA, kA}, -1).ToVector<int>() == Values{1, 1, 2, 2, 3, 3, 4, 4});
  const Tensors columns = Unstack(kA, 1);
  CHECK(columns[1].ToVector<int>() == Values{2, 4});
  const Tensors parts = SplitV(Concat({kA, kB}, 1), {2, -1}, 1);
  CHECK(parts[0].ToVector<int>() == Values{1, 2, 3, 4});
  CHECK(parts[1].ToVector<int>() == Values{5, 6});
  CHECK(Split(kA, 2, -1)[1].ToVector<int>() == Values{2, 4});
  CHECK(SplitV(Zeros({0}), {0, -1}, 0)[1].shape() == Shape{0});
  const Tensors offsets = ConcatOffset(1, {{2, 3}, {2, 4}, {2, 5}});
  CHECK(offsets[2].ToVector<int>() == Values{0, 7});
}

TEST_CASE("concat errors") {
  const Tensor a = {1, 2, 3}, b = {4, 5, 6};
  CHECK(Thrown([&] { Concat({a, b}, -1258291109); }) == "INVALID_ARGUMENT ConcatV2: axis is -1258291109, must be in [-1, 1)");
  CHECK(Thrown([&] { Concat({a, b}, INT32_MIN); }) == "INVALID_ARGUMENT ConcatV2: axis is -2147483648, must be in [-1, 1)");
  CHECK(Thrown([&] { Concat({a, b}, 1); }) == "INVALID_ARGUMENT ConcatV2: axis is 1, must be in [-1, 1)");
  CHECK(Thrown([&] { Concat({a, b}, Tensor({0, 0})); }) == "INVALID_ARGUMENT ConcatV2: axis must be a scalar, is [2]");
  CHECK(Thrown([&] { Concat({a, b}, 0.5f); }) == "INVALID_ARGUMENT ConcatV2: axis is float32, must be one of int32, int64");
  CHECK(Thrown([&] { Concat({kA, a}, 0); }) == "INVALID_ARGUMENT ConcatV2: ranks differ: values[0] is [2,2], values[1] is [3]");
  CHECK(Thrown([&] { Concat({kA, kB}, 0); }) ==
        "INVALID_ARGUMENT ConcatV2: dimensions differ beside axis 0: values[0] is [2,2] (dim 1 = 2), values[1] is [2,1] (dim 1 = 1)");
  CHECK(Thrown([&] { Concat({Tensor(1), Tensor(2)}, 0); }) == "INVALID_ARGUMENT ConcatV2: values[0] is []: scalars cannot be concatenated, only stacked");
  CHECK(Thrown([&] { Stack({kA, kB}); }) == "INVALID_ARGUMENT Pack: shapes differ: values[0] is [2,2], values[1] is [2,1]");
  CHECK(Thrown([&] { ConcatOffset(0, {{2, 3}, {2, 4}}); }) ==
        "INVALID_ARGUMENT ConcatOffset: shapes differ beside concat_dim 0: shape[0][1] = 3, shape[1][1] = 4");
}

TEST_CASE("split errors") {
  const Tensor x = {1, 2, 3};
  CHECK(Thrown([&] { SplitV(Zeros({0}), {-1, -2}); }) == "INVALID_ARGUMENT SplitV: size_splits[1] is -2, must be at least -1");
  CHECK(Thrown([&] { SplitV(x, {-1, -1}); }) == "INVALID_ARGUMENT SplitV: size_splits[0] and [1] are both -1, only one can be");
  CHECK(Thrown([&] { SplitV(x, {5, -1}); }) == "INVALID_ARGUMENT SplitV: size_splits [5,-1] add up to 5, value is [3] (dim 0 = 3)");
  CHECK(Thrown([&] { SplitV(x, {2, 2}); }) == "INVALID_ARGUMENT SplitV: size_splits [2,2] add up to 4, value is [3] (dim 0 = 3)");
  CHECK(Thrown([&] { SplitV(Zeros({0}), std::vector<int64_t>(4, int64_t{1} << 62)); }).find("add up to more than 2^63 - 1") != std::string::npos);
  CHECK(Thrown([&] { Split(x, 0); }) == "INVALID_ARGUMENT Split: attribute num_split is 0, must be at least 1");
  CHECK(Thrown([&] { Split(x, 2); }) == "INVALID_ARGUMENT Split: num_split is 2, does not divide value is [3] (dim 0 = 3)");
  CHECK(Thrown([&] { Unstack(Zeros({2, 4}), 0, 3); }) == "INVALID_ARGUMENT Unpack: num is 3, value is [2,4] (dim 0 = 2)");
  CHECK(Thrown([&] { Unstack(Tensor(1)); }) == "INVALID_ARGUMENT Unpack: value must have rank 1 or more, is []");
}

TEST_CASE("pad") {
  CHECK(Pad({1, 2}, {{1, 2}}).ToVector<int>() == Values{0, 1, 2, 0, 0});
  CHECK(PadV2(kA, {{1, 0}, {0, 1}}, 9).ToVector<int>() == Values{9, 9, 9, 1, 2, 9, 3, 4, 9});
  CHECK(MirrorPad({1, 2, 3}, {{2, 1}}, "REFLECT").ToVector<int>() == Values{3, 2, 1, 2, 3, 2});
  CHECK(MirrorPad({1, 2, 3}, {{2, 1}}, "SYMMETRIC").ToVector<int>() == Values{2, 1, 1, 2, 3, 3});
  CHECK(MirrorPadGrad(Tensor({1, 10, 100, 1000, 10000, 100000}), {{2, 1}}, "REFLECT").ToVector<int>() == Values{100, 101010, 10001});
  CHECK(MirrorPad(kA, {{1, 0}, {0, 1}}, "SYMMETRIC").ToVector<int>() == Values{1, 2, 2, 1, 2, 2, 3, 4, 4});
  CHECK(Pad(Tensor(7), Zeros({0, 2}, kInt32)).item<int>() == 7);
  CHECK(MirrorPad(Tensor(7), Zeros({0, 2}, kInt32), "REFLECT").item<int>() == 7);
}

TEST_CASE("pad errors") {
  const Tensor wild = {{125106557, 1415887920}, {747509374, 2136925906}, {413308538, 904601717}, {1900762018, 831358864}};
  CHECK(Thrown([&] { Pad(Zeros({1, 32, 32, 3}), wild); }) ==
        "INVALID_ARGUMENT Pad: the output [1540994478,2884435312,1317910287,2732120885] would have more than 2^63 - 1 elements");
  CHECK(Thrown([&] { Pad({1, 2, 3}, {{-1, 0}}); }) == "INVALID_ARGUMENT Pad: paddings[0,0] is -1, must not be negative");
  CHECK(Thrown([&] { Pad({1, 2, 3}, {{1, 2, 3}}); }) == "INVALID_ARGUMENT Pad: paddings must be [rank, 2], is [1,3]");
  CHECK(Thrown([&] { MirrorPad({1, 2}, {{2, 0}}, "REFLECT"); }) ==
        "INVALID_ARGUMENT MirrorPad: paddings[0,0] is 2, must be at most 1 in mode REFLECT on a dimension of 2");
  CHECK(Thrown([&] { MirrorPadGrad(Tensor({1.f}), {{2012217344, 167772160}}, "REFLECT"); }) ==
        "INVALID_ARGUMENT MirrorPadGrad: paddings[0] are 2012217344 and 167772160, more than the whole of input is [1] (dim 0 = 1)");
  CHECK(Thrown([&] { MirrorPad({1, 2}, {{1, 0}}, "EDGE"); }) ==
        "INVALID_ARGUMENT MirrorPad: attribute mode is \"EDGE\", must be one of \"REFLECT\", \"SYMMETRIC\"");
}

TEST_CASE("tile and one_hot errors") {
  CHECK(Tile(kA, {1, 2}).ToVector<int>() == Values{1, 2, 1, 2, 3, 4, 3, 4});
  CHECK(Tile(kA, {0, 2}).shape() == Shape{0, 4});
  CHECK(Thrown([&] { Tile(Ones({1, 1, 1}), {100000000, 100000000, 100000000}); }) ==
        "INVALID_ARGUMENT Tile: the output [100000000,100000000,100000000] would have more than 2^63 - 1 elements");
  CHECK(Thrown([&] { Tile(Ones({1, 1, 1}), {-1, 1, 1}); }) == "INVALID_ARGUMENT Tile: multiples[0] is -1, must not be negative");
  CHECK(Thrown([&] { Tile(Ones({1, 1, 1}), {1, 1}); }) == "INVALID_ARGUMENT Tile: multiples has 2 elements, input is [1,1,1]");
  CHECK(OneHot({0, 2, 5}, 3).ToVector<int>() == Values{1, 0, 0, 0, 0, 1, 0, 0, 0});
  const Tensor none = Zeros({0, 3}, kInt32);
  CHECK(OneHot(none, 4).shape() == Shape{0, 3, 4});
  CHECK(OneHot(none, 4, 1, 0, {.axis = 0}).shape() == Shape{4, 0, 3});
  CHECK(OneHot(none, 4, 1, 0, {.axis = 1}).shape() == Shape{0, 4, 3});
  CHECK(Thrown([&] { OneHot({1}, -1); }) == "INVALID_ARGUMENT OneHot: depth is -1, must not be negative");
  CHECK(Thrown([&] { OneHot({1}, Tensor({1, 2})); }) == "INVALID_ARGUMENT OneHot: depth must be a scalar, is [2]");
  CHECK(Thrown([&] { OneHot({1}, 3, 1, 0, {.axis = 856}); }) == "INVALID_ARGUMENT OneHot: axis is 856, must be in [-1, 1]: indices is [1]");
  CHECK(Thrown([&] { OneHot({1}, 3, 1, 0, {.axis = -2}); }) == "INVALID_ARGUMENT OneHot: axis is -2, must be at least -1");
}

TEST_CASE("range and fill") {
  CHECK(Range(3, 18, 3).ToVector<int>() == Values{3, 6, 9, 12, 15});
  CHECK(Range(3, 0, -1).ToVector<int>() == Values{3, 2, 1});
  CHECK(Range(0., 1., 0.1).ToVector<float>()[9] == 9 * 0.1f);
  CHECK(Range(0.f, 0.3f, 0.1f).shape() == Shape{3});  // counted in float32, as TensorFlow does
  CHECK(Range(5, 5, 1).shape() == Shape{0});
  CHECK(Thrown([&] { Range(0, 5, -1); }) == "INVALID_ARGUMENT Range: delta leads away from limit: start is 0, limit is 5, delta is -1");
  CHECK(Thrown([&] { Range(0, 5, 0); }) == "INVALID_ARGUMENT Range: delta must not be 0: start is 0, limit is 5, delta is 0");
  CHECK(Fill({2, 3}, 9).ToVector<int>() == Values(6, 9));
  CHECK(Thrown([&] { Fill({-1}, 9); }) == "INVALID_ARGUMENT Fill: dims[0] is -1, must be at least 0");
  CHECK(Thrown([&] { Fill({2}, Tensor({1, 2})); }) == "INVALID_ARGUMENT Fill: value must be a scalar, is [2]");
  CHECK(Thrown([&] { Fill({int64_t{1} << 61}, 9.0f); }).starts_with("RESOURCE_EXHAUSTED Fill: float32[2305843009213693952] needs"));
  CHECK(Zeros({2}, kBool).ToVector<int>() == Values{0, 0});
  CHECK(Ones({2}, kComplex64).ToVector<float>()[1] == 1.0f);
  CHECK(Full({1}, 2.5, kFloat64).item<double>() == 2.5);
}

TEST_CASE("broadcasting beyond rank five") {
  const Tensor x = Reshape(Range(72), {2, 1, 3, 2, 2, 3});
  const Tensor y = BroadcastTo(x, {2, 4, 3, 2, 2, 3});
  CHECK(y.shape() == Shape{2, 4, 3, 2, 2, 3});
  CHECK(Slice(y, {1, 3, 2, 1, 1, 2}, {1, 1, 1, 1, 1, 1}).item<int>() == 71);
  CHECK(BroadcastTo(Zeros({0, 1}), {0, 3}).shape() == Shape{0, 3});
  CHECK(Thrown([&] { BroadcastTo(Zeros({2}), {3}); }) == "INVALID_ARGUMENT BroadcastTo: input is [2], does not broadcast to [3]");
}

}  // namespace
}  // namespace tandem
