#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

using Values = std::vector<int>;
const Tensor kTable = {{1, 2}, {3, 4}, {5, 6}};

TEST_CASE("gather") {
  CHECK(Gather(kTable, {2, 0, 2}).ToVector<int>() == Values{5, 6, 1, 2, 5, 6});
  CHECK(Gather(kTable, {1}, 1).ToVector<int>() == Values{2, 4, 6});
  CHECK(Gather(kTable, 1, -2).ToVector<int>() == Values{3, 4});
  CHECK(Gather(kTable, {{0, 1}, {1, 0}, {1, 1}}, 1, {.batch_dims = 1}).ToVector<int>() == Values{1, 2, 4, 3, 6, 6});
  CHECK(Gather(Zeros({0, 4}), Zeros({0}, kInt32)).shape() == Shape{0, 4});
}

TEST_CASE("gather errors") {
  const Tensor x = {1, 2, 3};
  CHECK(Thrown([&] { Gather(x, {0, 3}); }) == "INVALID_ARGUMENT GatherV2: indices[1] = 3, must be in [0, 3)");
  CHECK(Thrown([&] { Gather(x, {-1}); }) == "INVALID_ARGUMENT GatherV2: indices[0] = -1, must be in [0, 3)");
  CHECK(Thrown([&] { Gather(x, {0}, 0, {.batch_dims = 1}); }) ==
        "INVALID_ARGUMENT GatherV2: batch_dims is 1, must be less than the rank of params: params is [3]");
  CHECK(Thrown([&] { Gather(kTable, {0}, 0, {.batch_dims = 10}); }) ==
        "INVALID_ARGUMENT GatherV2: batch_dims is 10, must be in [-1, 1]: indices is [1], params is [3,2]");
  CHECK(Thrown([&] { Gather(Zeros({0, 1}), {0}, 1, {.batch_dims = 1}); }) ==
        "INVALID_ARGUMENT GatherV2: batch dimensions 0 differ: params is [0,1] (dim 0 = 0), indices is [1] (dim 0 = 1)");
  CHECK(Thrown([&] { Gather(kTable, {0}, 2); }) == "INVALID_ARGUMENT GatherV2: axis is 2, must be in [-2, 2)");
  CHECK(Thrown([&] { Gather(Tensor(1), {0}); }) == "INVALID_ARGUMENT GatherV2: params must have rank 1 or more, is []");
}

TEST_CASE("gather_nd") {
  CHECK(GatherNd(kTable, {{0, 1}, {2, 0}}).ToVector<int>() == Values{2, 5});
  CHECK(GatherNd(kTable, {{1}}).ToVector<int>() == Values{3, 4});
  CHECK(GatherNd(Ones({5, 5, 5}), Zeros({0, 3}, kInt32)).shape() == Shape{0});
  CHECK(GatherNd(Ones({5, 5, 5}), Zeros({2, 0}, kInt32)).shape() == Shape{2, 5, 5, 5});
  CHECK(Thrown([] { GatherNd(Ones({5, 5, 5}), {{6, 6, 6}}); }) ==
        "INVALID_ARGUMENT GatherNd: indices[0] = [6,6,6] does not index into params, which is [5,5,5]");
  CHECK(Thrown([] { GatherNd(Ones({5, 5, 5}), {{0, 0, 5}}); }) ==
        "INVALID_ARGUMENT GatherNd: indices[0] = [0,0,5] does not index into params, which is [5,5,5]");
  CHECK(Thrown([] { GatherNd(Ones({1, 5}), Tensor({{int64_t{-50000000000000000}}})); }) ==
        "INVALID_ARGUMENT GatherNd: indices[0] = [-50000000000000000] does not index into params, which is [1,5]");
  CHECK(Thrown([] { GatherNd(Ones({0, 3}), {{0}}); }) == "INVALID_ARGUMENT GatherNd: indices[0] = [0] does not index into params, which is [0,3]");
  CHECK(Thrown([] { GatherNd(Ones({5, 5, 5}), Zeros({2, 4}, kInt32)); }) ==
        "INVALID_ARGUMENT GatherNd: indices is [2,4] (dim 1 = 4) indexes 4 axes, but params is [5,5,5] with 3");
}

TEST_CASE("scatter") {
  CHECK(ScatterNd({{1}, {3}, {1}}, {10, 20, 30}, {5}).ToVector<int>() == Values{0, 40, 0, 20, 0});
  CHECK(TensorScatterUpdate(kTable, {{0}, {0}}, {{7, 7}, {8, 8}}).ToVector<int>() == Values{8, 8, 3, 4, 5, 6});
  CHECK(kTable.ToVector<int>() == Values{1, 2, 3, 4, 5, 6});
  CHECK(UnsortedSegmentSum({1, 2, 3}, {0, -1, 0}, 2).ToVector<int>() == Values{4, 0});
  CHECK(Thrown([] { ScatterNd({{5}}, {1}, {5}); }) == "INVALID_ARGUMENT ScatterNd: indices[0] = [5] does not index into shape, which is [5]");
  CHECK(Thrown([] { ScatterNd({{1}}, {1, 2}, {5}); }) ==
        "INVALID_ARGUMENT ScatterNd: updates is [2], must be [1]: indices is [1,1], shape is [5]");
  CHECK(Thrown([] { UnsortedSegmentSum({1, 2, 3}, {0, 2, 0}, 2); }) ==
        "INVALID_ARGUMENT UnsortedSegmentSum: segment_ids[1] = 2, must be less than num_segments, which is 2");
  CHECK(Thrown([] { UnsortedSegmentSum({1, 2, 3}, {0, 1}, 2); }) ==
        "INVALID_ARGUMENT UnsortedSegmentSum: data must begin with the shape of segment_ids: data is [3], segment_ids is [2]");
  CHECK(Thrown([] { UnsortedSegmentSum({1, 2, 3}, {0, 0, 0}, -1); }) == "INVALID_ARGUMENT UnsortedSegmentSum: num_segments is -1, must not be negative");
}

TEST_CASE("where") {
  const Tensor at = Where({{0.f, 1.f}, {NAN, -0.f}});
  CHECK(at.shape() == Shape{2, 2});
  CHECK(at.ToVector<int>() == Values{0, 1, 1, 0});
  CHECK(Where(Tensor(true)).shape() == Shape{1, 0});
  CHECK(Where(Zeros({0, 3})).shape() == Shape{0, 2});
}

}  // namespace
}  // namespace tandem
