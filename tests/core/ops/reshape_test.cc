#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const Tensor kX = {{1, 2, 3}, {4, 5, 6}};

TEST_CASE("reshape, squeeze, expand_dims and identity share the buffer") {
  const void* data = kX.rep()->data;
  CHECK(Reshape(kX, {3, -1}).rep()->data == data);
  CHECK(Reshape(kX, {3, -1}).shape() == Shape{3, 2});
  CHECK(ExpandDims(kX, -1).rep()->data == data);
  CHECK(ExpandDims(kX, -1).shape() == Shape{2, 3, 1});
  CHECK(Squeeze(Reshape(kX, {1, 6, 1})).shape() == Shape{6});
  CHECK(Squeeze(Reshape(kX, {1, 6, 1}), {-1}).shape() == Shape{1, 6});
  CHECK(Squeeze(Reshape(kX, {1, 6, 1})).rep()->data == data);
  CHECK(Identity(kX).rep() == kX.rep());
  CHECK(StopGradient(kX).rep() == kX.rep());
  CHECK(EnsureShape(kX, {2, -1}).rep() == kX.rep());
  CHECK(Constant(kX).rep() == kX.rep());
  CHECK(IdentityN({kX, kX})[1].rep() == kX.rep());
  CHECK(PlaceholderWithDefault(kX, {-1, 3}).rep() == kX.rep());
}

TEST_CASE("reshape of nothing") {
  CHECK(Reshape(Zeros({0, 3}), {-1, 3}).shape() == Shape{0, 3});
  CHECK(Reshape(Zeros({0, 3}), {0, -1}).shape() == Shape{0, 0});
  CHECK(Reshape(1, {}).shape() == Shape{});
  CHECK(Reshape(Reshape(1, {1, 1}), {}).shape() == Shape{});
}

TEST_CASE("reshape names what does not fit") {
  CHECK(Thrown([] { Reshape(kX, {4, 2}); }) ==
        "INVALID_ARGUMENT Reshape: tensor is [2,3] with 6 elements, does not fit the shape [4,2]");
  CHECK(Thrown([] { Reshape(kX, {-1, 4}); }) ==
        "INVALID_ARGUMENT Reshape: tensor is [2,3] with 6 elements, does not divide into the shape [-1,4]");
  CHECK(Thrown([] { Reshape(kX, {-1, 3, -1}); }) == "INVALID_ARGUMENT Reshape: shape has -1 twice: at 0 and 2");
  CHECK(Thrown([] { Reshape(kX, {-2}); }) == "INVALID_ARGUMENT Reshape: shape[0] is -2, must be at least -1");
  CHECK(Thrown([] { Reshape(kX, std::vector<int64_t>(255, 1)); }) ==
        "INVALID_ARGUMENT Reshape: shape has 255 elements, the largest rank is 254");
  CHECK(Thrown([] { Reshape(kX, Tensor({{1}})); }) == "INVALID_ARGUMENT Reshape: shape must be a vector, is [1,1]");
  CHECK(Thrown([] { Reshape(kX, {int64_t{1} << 62, 4}); }).find("more than 2^63 - 1 elements") != std::string::npos);
  CHECK(Thrown([] { Squeeze(kX, {1}); }) == "INVALID_ARGUMENT Squeeze: cannot drop dimension 1, which is not 1: input is [2,3] (dim 1 = 3)");
  CHECK(Thrown([] { Squeeze(kX, {2}); }) == "INVALID_ARGUMENT Squeeze: squeeze_dims is 2, must be in [-2, 2)");
  CHECK(Thrown([] { ExpandDims(kX, 3); }) == "INVALID_ARGUMENT ExpandDims: dim is 3, must be in [-3, 3)");
  CHECK(Thrown([] { EnsureShape(kX, {3, -1}); }) == "INVALID_ARGUMENT EnsureShape: input is [2,3], must fit [3,?]");
  CHECK(Thrown([] { Placeholder(kFloat32, {-1, 2}); }) == "INVALID_ARGUMENT Placeholder: must be fed: float32 [?,2]");
}

TEST_CASE("shape, size and rank") {
  CHECK(ShapeOf(kX).ToVector<int>() == std::vector<int>{2, 3});
  CHECK(ShapeOf(kX, kInt64).dtype() == kInt64);
  CHECK(Size(Zeros({0, 3})).item<int>() == 0);
  CHECK(Rank(kX).item<int>() == 2);
}

TEST_CASE("transpose and its errors") {
  CHECK(Transpose(kX).ToVector<int>() == std::vector<int>{1, 4, 2, 5, 3, 6});
  CHECK(Transpose(kX, {1, 0}).shape() == Shape{3, 2});
  CHECK(Transpose(kX, {-1, 0}).ToVector<int>() == std::vector<int>{1, 4, 2, 5, 3, 6});
  CHECK(Thrown([] { Transpose(kX, {0, -10}); }) == "INVALID_ARGUMENT Transpose: perm[1] is -10, must be in [-2, 2)");
  CHECK(Thrown([] { Transpose(kX, {0, 0}); }) == "INVALID_ARGUMENT Transpose: perm has axis 0 twice: [0,0]");
  CHECK(Thrown([] { Transpose(kX, {0}); }) == "INVALID_ARGUMENT Transpose: perm has 1 elements, x is [2,3]");
  CHECK(InvertPermutation({2, 0, 1}).ToVector<int>() == std::vector<int>{1, 2, 0});
  CHECK(Thrown([] { InvertPermutation({0, 0}); }) == "INVALID_ARGUMENT InvertPermutation: x has 0 twice: at 0 and 1");
  CHECK(Thrown([] { InvertPermutation({0, 2}); }) == "INVALID_ARGUMENT InvertPermutation: x[1] = 2 is not in [0, 2)");
  CHECK(Reverse(kX, {1}).ToVector<int>() == std::vector<int>{3, 2, 1, 6, 5, 4});
  CHECK(Reverse(Zeros({0, 1, 1}), {1}).shape() == Shape{0, 1, 1});
  CHECK(Thrown([] { Reverse(kX, {1, -1}); }) == "INVALID_ARGUMENT ReverseV2: axis has 1 twice: [1,-1]");
}

TEST_CASE("a shape of two billion dimensions is refused while it is a number") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor shape = Placeholder(kInt32, {2147483647});
  const std::string end = " has 2147483647 elements, the largest rank is 254";
  CHECK(Thrown([&] { Fill(shape, 0); }).find("INVALID_ARGUMENT Fill: dims" + end) == 0);
  CHECK(Thrown([&] { Reshape(kX, shape); }).find("INVALID_ARGUMENT Reshape: shape" + end) == 0);
  CHECK(Thrown([&] { BroadcastTo(kX, shape); }).find("INVALID_ARGUMENT BroadcastTo: shape" + end) == 0);
  CHECK(Thrown([&] { Transpose(kX, shape); }).find("INVALID_ARGUMENT Transpose: perm" + end) == 0);
  CHECK(Thrown([&] { Tile(Placeholder(kFloat32, "x"), shape); }).find("INVALID_ARGUMENT Tile: multiples" + end) == 0);
}

TEST_CASE("transposes of many small dimensions") {
  const Tensor x = Reshape(Range(1 << 22), std::vector<int64_t>(22, 2));
  std::vector<int64_t> halves, reversed;
  for (int k = 0; k < 22; ++k) {
    halves.push_back((k + 11) % 22);
    reversed.push_back(21 - k);
  }
  const Tensor y = Transpose(x, halves), z = Transpose(x, reversed);
  bool right = true;
  for (int j = 0; j < 1 << 22; ++j) {
    int bits = 0;
    for (int k = 0; k < 22; ++k) bits |= (j >> k & 1) << (21 - k);
    right = right && y.data<int>()[j] == j % 2048 * 2048 + j / 2048 && z.data<int>()[j] == bits;
  }
  CHECK(right);
}

TEST_CASE("strings move like numbers") {
  const Tensor words = {{"a", "a string that does not fit the small buffer"}, {"c", "d"}};
  const Tensor turned = Transpose(words);
  CHECK(turned.data<std::string>()[2] == "a string that does not fit the small buffer");
  const Tensor tiled = Tile(words, {1, 2});
  CHECK(tiled.data<std::string>()[3] == "a string that does not fit the small buffer");
}

}  // namespace
}  // namespace tandem
