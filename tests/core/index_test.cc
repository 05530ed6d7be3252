#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

using Values = std::vector<int>;
Tensor X() { return Reshape(Range(24), {2, 3, 4}); }
const Tensor kM = {{1, 2, 3}, {4, 5, 6}};

TEST_CASE("basic indexing") {
  CHECK(kM[0].ToVector<int>() == Values{1, 2, 3});
  CHECK(kM[-1][1].item<int>() == 5);
  CHECK(kM.Index({Ellipsis, Slice(0, 1)}).shape() == Shape{2, 1});
  CHECK(kM.Index({Slice(), 1}).ToVector<int>() == Values{2, 5});
  CHECK(kM.Index({NewAxis, -1}).shape() == Shape{1, 3});
  CHECK(kM.Index({Slice(std::nullopt, std::nullopt, -1)}).ToVector<int>() == Values{4, 5, 6, 1, 2, 3});
  CHECK(kM.Index({Slice(), Slice(0, 3, 2)}).ToVector<int>() == Values{1, 3, 4, 6});
  CHECK(kM.Index({Slice(1, std::nullopt)}).ToVector<int>() == Values{4, 5, 6});
  CHECK(kM.Index({}).shape() == Shape{2, 3});
  CHECK(X().Index({1, Slice(std::nullopt, std::nullopt, -2), Slice(-3, -1)}).ToVector<int>() == Values{21, 22, 13, 14});
}

TEST_CASE("masks and index tensors") {
  const Tensor mask = {{true, false, true}, {false, true, false}};
  CHECK(kM.Index({mask}).ToVector<int>() == Values{1, 3, 5});
  CHECK(kM.Index({Tensor({false, true})}).ToVector<int>() == Values{4, 5, 6});
  CHECK(kM.Index({Slice(), Tensor({true, false, true})}).ToVector<int>() == Values{1, 3, 4, 6});
  CHECK(kM.Index({Tensor({1, -1, 0})}).shape() == Shape{3, 3});
  CHECK(kM.Index({Tensor({1, -1, 0})}).ToVector<int>() == Values{4, 5, 6, 4, 5, 6, 1, 2, 3});
  CHECK(kM.Index({Tensor({0, 1}), Tensor({2, -1})}).ToVector<int>() == Values{3, 6});
  CHECK(kM.Index({Tensor({{0}, {1}}), Tensor({0, 2})}).ToVector<int>() == Values{1, 3, 4, 6});
  // Neighbours keep their place, others come first.
  CHECK(X().Index({Slice(), Tensor({0, 2}), Tensor({1, 3})}).shape() == Shape{2, 2});
  CHECK(X().Index({Slice(), Tensor({0, 2}), Tensor({1, 3})}).ToVector<int>() == Values{1, 11, 13, 23});
  CHECK(X().Index({0, Slice(), Tensor({3, 0})}).shape() == Shape{2, 3});
  CHECK(X().Index({0, Slice(), Tensor({3, 0})}).ToVector<int>() == Values{3, 7, 11, 0, 4, 8});
  CHECK(X().Index({Ellipsis, Tensor({3, 0})}).shape() == Shape{2, 3, 2});
}

TEST_CASE("index errors") {
  CHECK(Thrown([] { kM[2]; }) == "INVALID_ARGUMENT StridedSlice: index 2 is out of range on axis 0, must be in [-2, 2): the input is [2,3]");
  CHECK(Thrown([] { kM.Index({0, 0, 0}); }) == "INVALID_ARGUMENT Index: 3 axes are indexed, the tensor is [2,3]");
  CHECK(Thrown([] { kM.Index({Ellipsis, Ellipsis}); }) == "INVALID_ARGUMENT Index: more than one Ellipsis");
  CHECK(Thrown([] { kM.Index({Tensor({true, false, true})}); }) ==
        "INVALID_ARGUMENT Index: the mask is [3] (dim 0 = 3), the tensor has 2 elements on axis 0: [2,3]");
  CHECK(Thrown([] { kM.Index({Tensor({0.5f})}); }) == "INVALID_ARGUMENT Index: an index tensor is float32, must be bool or an integer");
  CHECK(Thrown([] { kM.Index({Tensor({2})}); }) == "INVALID_ARGUMENT GatherV2: indices[0] = 2, must be in [0, 2)");
  CHECK(Thrown([] { Tensor(1)[0]; }) == "INVALID_ARGUMENT Index: a scalar has no elements to index");
}

}  // namespace
}  // namespace tandem
