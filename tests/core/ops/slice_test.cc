#include <catch2/catch.hpp>
#include <numeric>

#include "core/strided_slice.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

Tensor Arange(const Ints& shape) { return Reshape(Range(static_cast<int>(Size(Zeros(shape)).item<int>())), shape); }
// Functions: static initialisers may run before the library is wired.
Tensor X() {
  static const Tensor x = Arange({2, 3, 4});
  return x;
}
Tensor V() { return Range(4); }
using Values = std::vector<int>;

TEST_CASE("a slice of leading rows shares the buffer, others are copies") {
  const Tensor row = Slice(X(), {1, 0, 0}, {1, -1, -1});
  CHECK(row.rep()->data == X().rep()->as<int>() + 12);
  CHECK(row.shape() == Shape{1, 3, 4});
  CHECK(Slice(X(), {1, 1, 0}, {1, 2, 4}).rep()->data == X().rep()->as<int>() + 16);
  CHECK(Slice(X(), {0, 0, 0}, {-1, -1, -1}).rep() == X().rep());
  const Tensor columns = Slice(X(), {0, 1, 2}, {2, 2, 1});
  CHECK(columns.ToVector<int>() == Values{6, 10, 18, 22});
  CHECK(Slice(X(), {0, 3, 0}, {-1, -1, -1}).shape() == Shape{2, 0, 4});
}

TEST_CASE("slice names the axis where the box leaves the input") {
  const Tensor huge = Reshape(Zeros({0}), {INT64_MAX, 0});
  CHECK(Thrown([&] { Slice(huge, {INT64_MAX, 0}, {INT64_MAX, 0}); }) ==
        "INVALID_ARGUMENT Slice: size[0] is 9223372036854775807, but 0 elements follow begin[0] = 9223372036854775807: input is [9223372036854775807,0]");
  CHECK(Thrown([] { Slice(V(), {2}, {INT64_MAX}); }) ==
        "INVALID_ARGUMENT Slice: size[0] is 9223372036854775807, but 2 elements follow begin[0] = 2: input is [4]");
  CHECK(Thrown([] { Slice(V(), {0}, {-2}); }) == "INVALID_ARGUMENT Slice: size[0] is -2, must be at least -1");
  CHECK(Thrown([] { Slice(V(), {-1}, {1}); }) == "INVALID_ARGUMENT Slice: begin[0] is -1, must be in [0, 4]: input is [4]");
  CHECK(Thrown([] { Slice(V(), {0, 0}, {1, 1}); }) == "INVALID_ARGUMENT Slice: begin has 2 elements, input is [4]");
}

struct Row {
  const char* name;
  Tensor x;
  std::vector<int64_t> begin, end, strides;
  StridedSliceOptions masks;
  Shape shape;
  Values values;
};

TEST_CASE("strided slices") {
  const Tensor y = {{{1, 1, 1}, {2, 2, 2}}, {{3, 3, 3}, {4, 4, 4}}, {{5, 5, 5}, {6, 6, 6}}};
  Values last(12);
  std::iota(last.begin(), last.end(), 12);
  const Row cases[] = {
      {"shrink ignores end", X(), {-1}, {0}, {1}, {.shrink_axis_mask = 1}, {3, 4}, last},
      {"shrink with a long stride", X(), {-1}, {0}, {5}, {.shrink_axis_mask = 1}, {3, 4}, last},
      {"ellipsis", X(), {0, 1}, {0, 2}, {1, 1}, {.ellipsis_mask = 1, .shrink_axis_mask = 2}, {2, 3}, {1, 5, 9, 13, 17, 21}},
      {"new axis, reversal", X(), {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, -1, 1}, {.begin_mask = 13, .end_mask = 13, .new_axis_mask = 2}, {2, 1, 3, 4},
       {8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, 20, 21, 22, 23, 16, 17, 18, 19, 12, 13, 14, 15}},
      {"stride -2 and negative ends", X(), {1, 0, -3}, {2, 0, -1}, {1, -2, 1}, {.begin_mask = 2, .end_mask = 2, .shrink_axis_mask = 1}, {2, 2}, {21, 22, 13, 14}},
      {"backward", V(), {3}, {0}, {-1}, {}, {3}, {3, 2, 1}},
      {"backward through the first", V(), {3}, {0}, {-1}, {.end_mask = 1}, {4}, {3, 2, 1, 0}},
      {"backward, clamped", V(), {10}, {-10}, {-1}, {}, {4}, {3, 2, 1, 0}},
      {"wrong way", V(), {2}, {1}, {1}, {}, {0}, {}},
      {"empty middle", y, {1, 1, 0}, {2, -1, 3}, {1, 1, 1}, {}, {1, 0, 3}, {}},
      {"backward middle", y, {1, -1, 0}, {2, -3, 3}, {1, -1, 1}, {}, {1, 2, 3}, {4, 4, 4, 3, 3, 3}},
      {"stride past the end", Range(8), {0}, {2147483647}, {126322568}, {}, {1}, {0}},
      {"least stride", Range(8), {7}, {-9}, {INT64_MIN}, {}, {1}, {7}},
      {"no entries", V(), {}, {}, {}, {}, {4}, {0, 1, 2, 3}},
      {"new axis beats shrink", V(), {0, 1}, {0, 2}, {1, 1}, {.new_axis_mask = 1, .shrink_axis_mask = 1}, {1, 1}, {1}},
  };
  for (const Row& c : cases) {
    INFO(c.name);
    const Tensor got = StridedSlice(c.x, c.begin, c.end, c.strides, c.masks);
    CHECK(got.shape() == c.shape);
    CHECK(got.ToVector<int>() == c.values);
    // The gradient puts a one wherever an element was taken.
    const Tensor dx = StridedSliceGrad(c.x.shape(), c.begin, c.end, c.strides, Ones(c.shape, kInt32), c.masks);
    const Values ones = dx.ToVector<int>();
    CHECK(std::accumulate(ones.begin(), ones.end(), 0) == static_cast<int>(c.values.size()));
    CHECK(StridedSlice(dx, c.begin, c.end, c.strides, c.masks).ToVector<int>() == Values(c.values.size(), 1));
  }
}

TEST_CASE("strided slice errors") {
  const auto x = Zeros({2, 3});
  CHECK(Thrown([&] { StridedSlice(x, {5}, {6}, {1}, {.shrink_axis_mask = 1}); }) ==
        "INVALID_ARGUMENT StridedSlice: index 5 is out of range on axis 0, must be in [-2, 2): the input is [2,3]");
  CHECK(Thrown([&] { StridedSlice(x, {0}, {1}, {0}); }) == "INVALID_ARGUMENT StridedSlice: strides[0] must not be 0");
  CHECK(Thrown([&] { StridedSlice(x, {0, 0}, {1, 1}, {1, 1}, {.ellipsis_mask = 3}); }) ==
        "INVALID_ARGUMENT StridedSlice: entries 0 and 1 are both an ellipsis, at most one can be");
  CHECK(Thrown([&] { StridedSlice(x, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}); }) ==
        "INVALID_ARGUMENT StridedSlice: slices 3 axes of an input [2,3] with 2");
  CHECK(Thrown([&] { StridedSlice(x, {0}, {1}, {-1}, {.shrink_axis_mask = 1}); }) ==
        "INVALID_ARGUMENT StridedSlice: strides[0] is -1, must be positive where an axis is dropped");
  CHECK(Thrown([&] { StridedSlice(x, {0, 0}, {1}, {1}); }) ==
        "INVALID_ARGUMENT StridedSlice: lengths differ: begin is [2] (dim 0 = 2), end is [1] (dim 0 = 1)");
  CHECK(Thrown([&] { StridedSliceGrad({2, 3}, {0}, {1}, {1}, Zeros({2, 3})); }) ==
        "INVALID_ARGUMENT StridedSliceGrad: dy is [2,3], must be [1,3], the slice of [2,3]");
}

TEST_CASE("what a mask says of an unknown dimension is known") {
  const int64_t begin[] = {0, 1}, end[] = {0, 3}, strides[] = {1, 1};
  const auto spec = DecodeStridedSlice("StridedSlice", Shape{-1, 5}, 2, begin, end, strides, {.begin = 1, .end = 1});
  REQUIRE(spec.ok());
  CHECK(spec->output == Shape{-1, 2});
  const auto unknown = DecodeStridedSlice("StridedSlice", Shape{4, 5}, 2, nullptr, nullptr, nullptr, {.shrink_axis = 1});
  REQUIRE(unknown.ok());
  CHECK(unknown->output == Shape{-1});
}

}  // namespace
}  // namespace tandem
