#include <catch2/catch.hpp>

#include "core/tensor_list.h"
#include "core/tensor_proto.h"
#include "proto/tensor.pb.h"
#include "tandem.h"
#include "tests/gradient_check.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

using Values = std::vector<int>;
const Tensor kRows = {{1, 2}, {3, 4}, {5, 6}};

const TensorList& ListOf(const Tensor& handle) { return **GetTensorList(*handle.rep(), "test", "handle"); }
Tensor Numbers(int n) {
  Tensor list = EmptyTensorList(kInt32, Shape{});
  for (int i = 0; i < n; ++i) list = TensorListPushBack(list, i);
  return list;
}
int At(const Tensor& list, int i) { return TensorListGetItem(list, i, kInt32).item<int>(); }

}  // namespace

TEST_CASE("lists are values") {
  const Tensor empty = EmptyTensorList(kInt32, Shape{});
  const Tensor one = TensorListPushBack(empty, 1), two = TensorListPushBack(one, 2), other = TensorListPushBack(one, 3);
  CHECK(TensorListLength(empty).item<int>() == 0);
  CHECK(At(two, 1) == 2);
  CHECK(At(other, 1) == 3);
  const Tensors popped = TensorListPopBack(two, kInt32);
  CHECK(popped[1].item<int>() == 2);
  CHECK(At(TensorListPushBack(popped[0], 9), 1) == 9);
  CHECK(At(two, 1) == 2);
  CHECK(At(TensorListSetItem(two, 0, 7), 0) == 7);
  CHECK(At(two, 0) == 1);
  CHECK(two.ToString() == "<TensorList>");
}

TEST_CASE("lists longer than a block, shared and changed") {
  for (int n : {63, 64, 65, 128, 200}) {
    INFO(n);
    const Tensor a = Numbers(n);
    const Tensor b = TensorListSetItem(a, n / 2, -1), c = TensorListPushBack(b, -2), d = TensorListPushBack(a, -3);
    const Tensor e = TensorListPushBack(TensorListPopBack(a, kInt32)[0], -4);
    for (int i = 0; i < n; ++i) {
      CHECK(At(a, i) == i);
      CHECK(At(c, i) == (i == n / 2 ? -1 : i));
      CHECK(At(e, i) == (i == n - 1 ? -4 : i));
    }
    CHECK(At(c, n) == -2);
    CHECK(At(d, n) == -3);
    const Tensor cut = TensorListResize(TensorListResize(a, 10), n);
    CHECK(At(cut, 9) == 9);
    CHECK(!ListOf(cut).item(10).defined());
  }
}

TEST_CASE("items never set") {
  const Tensor list = TensorListReserve(3, kFloat32, {2});
  CHECK(TensorListStack(list, kFloat32).ToVector<float>() == std::vector<float>(6, 0));
  CHECK(TensorListGetItem(list, 1, kFloat32).shape() == Shape{2});
  CHECK(Thrown([&] { TensorListGetItem(TensorListReserve(3, kFloat32), 1, kFloat32); }) ==
        "INVALID_ARGUMENT TensorListGetItem: item 1 was never set, and zeros in its place need a known element_shape, which is <unknown>");
  CHECK(TensorListGetItem(TensorListReserve(3, kFloat32), 1, kFloat32, {4}).shape() == Shape{4});
  CHECK(TensorListLength(TensorListReserve(2147483647, kInt32, {1})).item<int>() == 2147483647);
  CHECK(TensorListElementShape(TensorListReserve(1, kInt32, {-1, 3})).ToVector<int>() == Values{-1, 3});
  CHECK(TensorListElementShape(TensorListReserve(1, kInt32), kInt64).item<int>() == -1);
}

TEST_CASE("stack, gather, scatter, concat, split") {
  const Tensor list = TensorListFromTensor(kRows);
  CHECK(TensorListStack(list, kInt32).ToVector<int>() == kRows.ToVector<int>());
  CHECK(TensorListStack(list, kInt32, {2}, 3).shape() == Shape{3, 2});
  CHECK(TensorListGather(list, {2, 0, 2}, kInt32).ToVector<int>() == Values{5, 6, 1, 2, 5, 6});
  CHECK(TensorListGather(list, Tensor(std::vector<int>{}), kInt32, {2}).shape() == Shape{0, 2});
  const Tensor scattered = TensorListScatter(kRows, {3, 0, 1}, {2});
  CHECK(TensorListStack(scattered, kInt32).ToVector<int>() == Values{3, 4, 5, 6, 0, 0, 1, 2});
  CHECK(TensorListLength(TensorListScatter(kRows, {3, 0, 1}, {2}, 9)).item<int>() == 9);
  CHECK(TensorListStack(TensorListScatterIntoExistingList(list, {{7, 7}}, {1}), kInt32).ToVector<int>() == Values{1, 2, 7, 7, 5, 6});
  const Tensor pieces = TensorListSplit(kRows, std::vector<int64_t>{1, 0, 2});
  CHECK(TensorListGetItem(pieces, 2, kInt32).ToVector<int>() == Values{3, 4, 5, 6});
  const Tensors joined = TensorListConcat(pieces, kInt32);
  CHECK(joined[0].ToVector<int>() == kRows.ToVector<int>());
  CHECK(joined[1].ToVector<int>() == Values{1, 0, 2});
  CHECK(TensorListConcat(TensorListReserve(2, kInt32, {-1, 2}), kInt32, {-1, 2}, std::vector<int64_t>{1, 2})[0].shape() == Shape{3, 2});
  CHECK(TensorListLength(TensorListConcatLists(list, pieces, kInt32)).item<int>() == 6);
  CHECK(TensorListLength(TensorListSetItem(list, 5, kRows[0], {.resize_if_index_out_of_bounds = true})).item<int>() == 6);
  const Tensor words = TensorListPushBack(EmptyTensorList(kString), "a");
  CHECK(TensorListStack(TensorListPushBack(words, "b"), kString).ToString() == "[b'a' b'b']");
}

TEST_CASE("zeros and sums of lists") {
  const Tensor list = TensorListFromTensor(kRows), sparse = TensorListSetItem(TensorListReserve(3, kInt32, {2}), 1, {10, 20});
  CHECK(TensorListStack(ZerosLike(list), kInt32).ToVector<int>() == Values(6, 0));
  CHECK(TensorListStack(AddN(Tensors{list, sparse, sparse}), kInt32).ToVector<int>() == Values{1, 2, 23, 44, 5, 6});
  CHECK(TensorListStack(AddN(Tensors{sparse, list}), kInt32).ToVector<int>() == Values{1, 2, 13, 24, 5, 6});
  CHECK(Thrown([&] { AddN(Tensors{list, Numbers(2)}); }) == "INVALID_ARGUMENT AddN: lists of 3 and of 2 items");
}

TEST_CASE("list errors") {
  const Tensor list = TensorListFromTensor(kRows, {2});
  struct Row {
    const char* want;
    std::function<void()> call;
  };
  const Row rows[] = {
      {"TensorListReserve: num_elements is -1, must be at least 0", [] { TensorListReserve(-1, kInt32, {1}); }},
      {"TensorListReserve: num_elements must be a scalar, is [2]", [] { TensorListReserve(Tensor({1, 1}), kInt32, {1}); }},
      {"EmptyTensorList: max_num_elements is -2, must be at least -1", [] { EmptyTensorList(kInt32, Shape{}, -2); }},
      {"EmptyTensorList: element_shape is the scalar 3, must be a vector, or -1 for any", [] { EmptyTensorList(kInt32, Tensor(3)); }},
      {"EmptyTensorList: element_shape[1] is -2, must be at least -1", [] { EmptyTensorList(kInt32, Tensor({1, -2})); }},
      {"EmptyTensorList: element_shape must be a vector, or -1 for any, is [1,1]", [] { EmptyTensorList(kInt32, Tensor({{1}})); }},
      {"TensorListPushBack: the list has 1 item, max_num_elements is 1", [] { TensorListPushBack(TensorListPushBack(EmptyTensorList(kInt32, Shape{}, 1), 1), 2); }},
      {"TensorListPushBack: an item of [3] in a list of items of [2]", [&] { TensorListPushBack(list, {1, 2, 3}); }},
      {"TensorListPushBack: input_handle holds int32 items, element_dtype is float32", [&] { TensorListPushBack(list, {1.f, 2.f}); }},
      {"TensorListPopBack: the list is empty", [] { TensorListPopBack(EmptyTensorList(kInt32), kInt32); }},
      {"TensorListPopBack: input_handle holds int32 items, element_dtype is float32", [&] { TensorListPopBack(list, kFloat32); }},
      {"TensorListGetItem: index is 5, the list has 3 items", [&] { TensorListGetItem(list, 5, kInt32); }},
      {"TensorListGetItem: index is -1, the list has 3 items", [&] { TensorListGetItem(list, -1, kInt32); }},
      {"TensorListGetItem: element_shape is [3], that of the list [2]", [&] { TensorListGetItem(list, 0, kInt32, {3}); }},
      {"TensorListSetItem: index is 3, the list has 3 items", [&] { TensorListSetItem(list, 3, {1, 2}); }},
      {"TensorListSetItem: an item of [] in a list of items of [2]", [&] { TensorListSetItem(list, 0, 1); }},
      {"TensorListResize: size is -1, must be at least 0", [&] { TensorListResize(list, -1); }},
      {"TensorListStack: num_elements is 2, the list has 3 items", [&] { TensorListStack(list, kInt32, {2}, 2); }},
      {"TensorListStack: no items, and element_shape is not fully known: <unknown>", [] { TensorListStack(EmptyTensorList(kInt32), kInt32); }},
      {"TensorListStack: item 1 is [3], the others are [2]",
       [] { TensorListStack(TensorListPushBack(TensorListPushBack(EmptyTensorList(kInt32), {1, 2}), {1, 2, 3}), kInt32); }},
      {"TensorListFromTensor: tensor must have rank 1 or more, is []", [] { TensorListFromTensor(1); }},
      {"TensorListFromTensor: items of [2] do not fit element_shape [3]: tensor is [3,2]", [] { TensorListFromTensor(kRows, {3}); }},
      {"TensorListGather: indices[1] is 3, the list has 3 items", [&] { TensorListGather(list, {0, 3}, kInt32); }},
      {"TensorListScatterV2: indices[0] is -1, must not be negative", [] { TensorListScatter(kRows, {-1, 0, 1}); }},
      {"TensorListScatterV2: indices[0] is 3, the list has 3 items", [] { TensorListScatter(kRows, {3, 0, 1}, {2}, 3); }},
      {"TensorListScatterV2: numbers of items differ: tensor is [3,2] (dim 0 = 3), indices is [2] (dim 0 = 2)", [] { TensorListScatter(kRows, {0, 1}); }},
      {"TensorListConcatV2: element_shape is [], scalars cannot be concatenated, only stacked", [&] { TensorListConcat(list, kInt32, Shape{}); }},
      {"TensorListConcatV2: scalars cannot be concatenated, only stacked", [] { TensorListConcat(Numbers(2), kInt32); }},
      {"TensorListSplit: lengths add up to 2, tensor is [3,2] (dim 0 = 3)", [] { TensorListSplit(kRows, std::vector<int64_t>{1, 1}); }},
      {"TensorListSplit: lengths[0] is -1, must not be negative", [] { TensorListSplit(kRows, std::vector<int64_t>{-1, 4}); }},
      {"TensorListLength: input_handle is int32, must be variant", [] { TensorListLength(1); }},
  };
  for (const Row& row : rows) CHECK(Thrown(row.call) == std::string("INVALID_ARGUMENT ") + row.want);
  Tensor hollow = Tensor::Adopt(NewRep(kVariant, {}, 1));
  CHECK(Thrown([&] { TensorListLength(hollow); }) == "INVALID_ARGUMENT TensorListLength: input_handle must be a TensorList, the variant is empty");
  const int64_t two[] = {2};
  hollow = Tensor::Adopt(NewRep(kVariant, two, 2));
  CHECK(Thrown([&] { TensorListLength(hollow); }) == "INVALID_ARGUMENT TensorListLength: input_handle must be a scalar, is [2]");
}

TEST_CASE("gradients of list ops") {
  const Tensor x = Tensor::FromData<double>({3, 2}, std::span<const double>(std::vector<double>{1, -2, 3, 0.5, 2, 4}));
  struct Row {
    const char* name;
    TensorFunction f;
  };
  const Row rows[] = {
      {"from, stack", [](const Tensors& x) { return TensorListStack(TensorListFromTensor(x[0]), kFloat64) * x[0]; }},
      {"get", [](const Tensors& x) {
         const Tensor list = TensorListFromTensor(x[0]);
         return TensorListGetItem(list, 0, kFloat64) * TensorListGetItem(list, 2, kFloat64) * TensorListGetItem(list, 0, kFloat64);
       }},
      {"push, pop", [](const Tensors& x) {
         Tensor list = TensorListPushBack(TensorListPushBack(EmptyTensorList(kFloat64), x[0]), x[0] * x[0]);
         const Tensors last = TensorListPopBack(list, kFloat64);
         return last[1] * TensorListPopBack(last[0], kFloat64)[1];
       }},
      {"set", [](const Tensors& x) { return Square(TensorListStack(TensorListSetItem(TensorListFromTensor(x[0]), 1, x[0][0] * x[0][2]), kFloat64)); }},
      {"gather twice", [](const Tensors& x) { return Square(TensorListGather(TensorListFromTensor(x[0]), {1, 1, 0}, kFloat64)); }},
      {"scatter", [](const Tensors& x) { return Square(TensorListStack(TensorListScatter(x[0], {2, 0, 4}, {2}), kFloat64)); }},
      {"scatter into", [](const Tensors& x) {
         return Square(TensorListStack(TensorListScatterIntoExistingList(TensorListFromTensor(x[0]), Square(x[0]), {2, 0, 3}), kFloat64));
       }},
      {"split, concat", [](const Tensors& x) {
         return Square(TensorListConcat(TensorListSplit(x[0], std::vector<int64_t>{1, 2}), kFloat64)[0]);
       }},
      {"resize", [](const Tensors& x) { return Square(TensorListStack(TensorListResize(TensorListFromTensor(x[0], {2}), 2), kFloat64)); }},
      {"lists in a list", [](const Tensors& x) {
         const Tensor outer = TensorListPushBack(EmptyTensorList(kVariant), TensorListFromTensor(x[0]));
         return Square(TensorListStack(TensorListGetItem(TensorListPushBack(outer, TensorListFromTensor(x[0] * 2.)), 1, kVariant), kFloat64));
       }},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(GradientDifference(row.f, {x}) == "");
    CHECK(SecondGradientDifference(row.f, {x}) == "");
    // The same bits in a graph.
    Graph graph;
    Tensor dx;
    {
      GraphScope scope(graph);
      const Tensor in = Placeholder(kFloat64, {3, 2}, "x");
      dx = Gradients(row.f({in}), in);
    }
    GradientTape tape;
    tape.Watch(x);
    const Tensor want = tape.Gradient(row.f({x}), x);
    for (OptLevel level : {OptLevel::kO0, OptLevel::kO2})
      CHECK(Session(graph, {.level = level}).Run({{"x:0", x}}, dx).ToVector<double>() == want.ToVector<double>());
  }
}

TEST_CASE("lists in lists of any depth are freed") {
  Tensor list = EmptyTensorList(kVariant);
  for (int i = 0; i < 300000; ++i) list = TensorListPushBack(EmptyTensorList(kVariant), list);
  list = Tensor();
}

TEST_CASE("lists in messages") {
  Tensor list = TensorListSetItem(TensorListReserve(3, kFloat32, {-1}), 1, {1.f, 2.f});
  proto::TensorProto message;
  REQUIRE(TensorToProto(list, &message).ok());
  CHECK(message.variant_val(0).type_name() == "tensorflow::TensorList");
  // 2 unset items: 0 and 2; float; no limit; one unknown dimension.
  CHECK(message.variant_val(0).metadata() == std::string("\2\0\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 27));
  const auto back = TensorFromProto(message);
  REQUIRE(back.ok());
  const TensorList& read = ListOf(*back);
  CHECK(read.size() == 3);
  CHECK(read.item(1).ToVector<int>() == Values{1, 2});
  CHECK(!read.item(2).defined());
  CHECK(read.element_shape() == Shape{-1});

  struct Row {
    std::string metadata, want;
  };
  const Row rows[] = {
      {"", "TensorList: metadata has no sensible number of unset items"},
      {"\xff\xff\xff\xff\x7f", "TensorList: metadata has no sensible number of unset items"},
      {std::string("\1\5\1", 3), "TensorList: metadata has an index of an unset item that is out of order or out of range"},
      {std::string("\0", 1), "TensorList: metadata has no dtype"},
      {std::string("\0\3\1", 3), "TensorList: item 0 is float32, the list holds int32"},
      {std::string("\0\1\1\x12\x02\x08\3", 7), "TensorList: item 0 is [2], element_shape is [3]"},
  };
  for (const Row& row : rows) {
    message.mutable_variant_val(0)->set_metadata(row.metadata);
    CHECK(std::string(TensorFromProto(message).status().message()) == row.want);
  }
  for (int i = 0; i < 40; ++i) list = TensorListPushBack(EmptyTensorList(kVariant), list);
  CHECK(std::string(TensorToProto(list, &message).message()) == "TensorList: lists nested more than 32 deep are not written");
}

}  // namespace tandem
