// Variables: updates, what they refuse, values that stay what they were, lifetimes, threads.
#include "core/variable.h"

#include <catch2/catch.hpp>
#include <thread>

#include "core/context.h"
#include "core/variable_storage.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

Tensor Ints32(const Shape& shape) { return Tensor::FromData<int32_t>(shape, std::vector<int32_t>(static_cast<size_t>(*shape.num_elements()), 1)); }

// A variable that was never assigned.
Tensor NewHandle(DType dtype, const Shape& shape) {
  return Run(Op<"VarHandleOp">(), {}, {std::string_view(""), std::string_view("v"), std::string_view(""), dtype, shape, std::span<const std::string>()});
}
void Update(OpId op, const Tensor& handle, const Tensor& value) {
  const Tensor inputs[] = {handle, value};
  if (op == Op<"AssignVariableOp">()) RunMany(op, inputs, {true});
  else RunMany(op, inputs);
}
Tensor Gather(const Variable& v, const Tensor& indices, int64_t batch_dims = 0) {
  return Run(Op<"ResourceGather">(), {v.handle(), indices}, {batch_dims, true, v.dtype()});
}
void ScatterAdd(const Variable& v, const Tensor& indices, const Tensor& updates) {
  const Tensor inputs[] = {v.handle(), indices, updates};
  RunMany(Op<"ResourceScatterAdd">(), inputs);
}

}  // namespace

TEST_CASE("updates of a variable") {
  Variable v({1., 2.});
  CHECK(v.AssignAdd({1., 1.}).ToVector<float>() == std::vector<float>{2, 3});
  CHECK(v.AssignSub({0.5, 1.}).ToVector<float>() == std::vector<float>{1.5, 2});
  CHECK(v.Assign({7., 8.}).ToVector<float>() == std::vector<float>{7, 8});
  Variable scalar(2.);
  CHECK(scalar.Assign(3).dtype() == kFloat32);  // a weak scalar takes the variable's dtype
  CHECK(scalar.AssignAdd(1).item<float>() == 4);
  Variable half(Tensor(std::vector<Half>{Half(1.f)}));
  CHECK(half.AssignAdd(Tensor(std::vector<Half>{Half(0.5f)})).ToVector<float>() == std::vector<float>{1.5f});
  Variable bytes(Tensor(std::vector<int8_t>{127}));
  CHECK(bytes.AssignAdd(Tensor(std::vector<int8_t>{1})).ToVector<int>() == std::vector<int>{-128});
}

TEST_CASE("a value that was read stays what it was") {
  Variable v({1., 2.});
  const Tensor before = v.Read();
  v.AssignAdd({1., 1.});
  CHECK(before.ToVector<float>() == std::vector<float>{1, 2});
  const Tensor initial = {{1., 2.}, {3., 4.}};
  Variable w(initial);
  w.AssignAdd({{1., 1.}, {1., 1.}});
  CHECK(initial.ToVector<float>() == std::vector<float>{1, 2, 3, 4});
  // Nobody else holds the value: the update is in place.
  const void* place = w.Read().rep()->data;
  w.AssignSub({{1., 1.}, {1., 1.}});
  CHECK(w.Read().rep()->data == place);
}

TEST_CASE("updates refuse other shapes and dtypes, the dtype first") {
  Variable v(Ints32({2, 3}));
  CHECK(Thrown([&] { v.AssignAdd(Ints32({3})); }) == "INVALID_ARGUMENT AssignAddVariableOp: the variable is [2,3], value is [3]");
  CHECK(Thrown([&] { v.AssignSub(Tensor(std::vector<int64_t>{1})); }) == "INVALID_ARGUMENT AssignSubVariableOp: the variable is int32, asked for int64");
  CHECK(Thrown([&] { v.Assign(Ints32({2, 2})); }) == "INVALID_ARGUMENT AssignVariableOp: the variable is [2,3], value is [2,2]");
  CHECK(v.Read().ToVector<int>() == std::vector<int>(6, 1));

  const Tensor handle = NewHandle(kInt32, {2, 3});
  CHECK(Thrown([&] { Update(Op<"AssignSubVariableOp">(), handle, Tensor(std::vector<float>{})); }) ==
        "INVALID_ARGUMENT AssignSubVariableOp: the variable is int32, asked for float32");
  CHECK(Thrown([&] { Update(Op<"AssignAddVariableOp">(), handle, Ints32({2, 3})); }) ==
        "FAILED_PRECONDITION variable \"v\" is updated before it was initialized");
  CHECK(Thrown([&] { Run(Op<"ReadVariableOp">(), {handle}, {kInt32}); }) == "FAILED_PRECONDITION variable \"v\" is read before it was initialized");
  CHECK(!Run(Op<"VarIsInitializedOp">(), {handle}).item<bool>());
  Update(Op<"AssignVariableOp">(), handle, Ints32({2, 3}));
  CHECK(Run(Op<"VarIsInitializedOp">(), {handle}).item<bool>());
}

TEST_CASE("an unknown declared shape leaves the check to the kernel") {
  Variable v({1., 2.}, {.validate_shape = false});
  v.Assign({1., 2., 3.});
  CHECK(v.Read().shape() == Shape{3});
  CHECK(Thrown([&] { v.AssignAdd({1., 2.}); }) ==
        "INVALID_ARGUMENT AssignAddVariableOp: variable \"Variable\" is [3], the value is [2]: the shapes must be equal");
  CHECK(Thrown([&] { Gather(v, {5}); }) == "INVALID_ARGUMENT ResourceGather: indices[0] = 5, must be in [0, 3)");
}

TEST_CASE("gather and scatter") {
  Variable v({{1., 2.}, {3., 4.}, {5., 6.}});
  CHECK(Gather(v, {{2, 0}}).ToVector<float>() == std::vector<float>{5, 6, 1, 2});
  CHECK(Gather(v, {{2, 0}}).shape() == Shape{1, 2, 2});
  CHECK(Gather(v, {1, 0, 1}, 1).ToVector<float>() == std::vector<float>{2, 3, 6});
  ScatterAdd(v, {2, 2, 0}, {{1., 1.}, {1., 1.}, {10., 10.}});
  CHECK(v.Read().ToVector<float>() == std::vector<float>{11, 12, 3, 4, 7, 8});
  ScatterAdd(v, {1}, 1.f);
  CHECK(v.Read().ToVector<float>() == std::vector<float>{11, 12, 4, 5, 7, 8});

  CHECK(Thrown([&] { Gather(v, {0}, 10); }) == "INVALID_ARGUMENT ResourceGather: batch_dims is 10, must be in [-1, 1] for indices is [1]");
  CHECK(Thrown([&] { Gather(v, {0}, 1); }) ==
        "INVALID_ARGUMENT ResourceGather: batch dimensions differ: the variable is [3,2] (dim 0 = 3), indices is [1] (dim 0 = 1)");
  CHECK(Thrown([&] { Gather(v, {{0, 3}}); }) == "INVALID_ARGUMENT ResourceGather: indices[0,1] = 3, must be in [0, 3)");
  CHECK(Thrown([&] { ScatterAdd(v, {0, 3}, {{1., 1.}, {1., 1.}}); }) == "INVALID_ARGUMENT ResourceScatterAdd: indices[1] = 3, must be in [0, 3)");
  CHECK(Thrown([&] { ScatterAdd(v, {0}, {{1.}, {1.}}); }) ==
        "INVALID_ARGUMENT ResourceScatterAdd: updates must be [1,2] (indices' shape, then the variable's but dim 0), is [2,1]");
  CHECK(v.Read().ToVector<float>() == std::vector<float>{11, 12, 4, 5, 7, 8});
}

TEST_CASE("a gathered variable gets the gradient of its rows") {
  Variable v({{1., 2.}, {3., 4.}, {5., 6.}});
  GradientTape tape;
  const Tensor rows = Gather(v, {2, 0, 2});
  CHECK(tape.Gradient(rows * rows, v).ToVector<float>() == std::vector<float>{2, 4, 0, 0, 20, 24});
}

TEST_CASE("in a graph an update gives the value after it") {
  Graph graph;
  Tensor after;
  {
    GraphScope scope(graph);
    Variable v(Tensor(1.f), {.name = "v"});
    after = v.AssignAdd(2.f);
  }
  Session session(graph);
  session.Run({}, std::vector<TensorName>{}, {graph.Initializer()});
  CHECK(session.Run({}, after).item<float>() == 3);
  CHECK(session.Run({}, after).item<float>() == 5);
}

TEST_CASE("a destroyed variable says so") {
  const Tensor handle = NewHandle(kFloat32, {});
  Update(Op<"AssignVariableOp">(), handle, 1.f);
  const Tensor inputs[] = {handle};
  RunMany(Op<"DestroyResourceOp">(), inputs, {true});
  CHECK(Thrown([&] { Run(Op<"ReadVariableOp">(), {handle}, {kFloat32}); }) == "FAILED_PRECONDITION variable \"v\" was destroyed");
  RunMany(Op<"DestroyResourceOp">(), inputs, {true});
  CHECK(Thrown([&] { RunMany(Op<"DestroyResourceOp">(), inputs, {false}); }) == "NOT_FOUND DestroyResourceOp: the variable \"v\" was destroyed before");
}

TEST_CASE("a handle must be one scalar resource") {
  CHECK(Thrown([] { Run(Op<"ReadVariableOp">(), {Tensor(1.f)}, {kFloat32}); }) == "INVALID_ARGUMENT ReadVariableOp: resource is float32, must be resource");
  const Tensor none = Tensor::Adopt(NewRep(kResource, std::vector<int64_t>{0}, 0)), empty = Tensor::Adopt(NewRep(kResource, {}, 1));
  CHECK(Thrown([&] { Run(Op<"ReadVariableOp">(), {none}, {kFloat32}); }) == "INVALID_ARGUMENT ReadVariableOp: resource must be a scalar, is [0]");
  CHECK(Thrown([&] { Run(Op<"ReadVariableOp">(), {empty}, {kFloat32}); }) == "INVALID_ARGUMENT ReadVariableOp: the resource handle is empty");
}

TEST_CASE("a variable is found by its handle while it lives") {
  Tensor handle;
  const size_t before = Variable::Living().size();
  {
    Variable v({1., 2.}, {.name = "found", .trainable = false}), w(3.);
    handle = v.handle();
    const Variable found = Variable::FromHandle(handle);
    CHECK(found.name() == "found");
    CHECK(!found.trainable());
    CHECK(found.shape() == Shape{2});
    CHECK(found.Read().ToVector<float>() == std::vector<float>{1, 2});
    std::vector<Variable> living = Variable::Living();
    REQUIRE(living.size() == before + 2);
    CHECK(living[before].handle().rep() == handle.rep());
    CHECK(living[before + 1].handle().rep() == w.handle().rep());
    living.clear();
    w = v;  // the other goes
    CHECK(Variable::Living().size() == before + 1);
  }
  CHECK(!Variable::FromHandle(handle).defined());
  CHECK(!Variable::FromHandle(Tensor(1.)).defined());
  CHECK(Variable::Living().size() == before);
}

TEST_CASE("a variable goes with its last handle") {
  const int64_t variables = VariableStorage::live();
  int64_t after_ten = 0;
  for (int i = 0; i < 1000; ++i) {
    Variable v(Tensor::FromData<float>({1000}, std::vector<float>(1000, 1.f)));
    Variable copy = v;
    copy.AssignAdd(v);
    if (i == 10) after_ten = GetAllocatorStatistics().live_bytes;
    CHECK(VariableStorage::live() == variables + 1);
    if (i == 999) CHECK(GetAllocatorStatistics().live_bytes == after_ten);
  }
  CHECK(VariableStorage::live() == variables);
}

TEST_CASE("updates from several threads all count") {
  Variable v(0);
  Variable big(Tensor::FromData<float>({4096}, std::vector<float>(4096, 0.f)));
  const Tensor ones = Tensor::FromData<float>({4096}, std::vector<float>(4096, 1.f));
  std::vector<std::thread> threads;
  std::atomic<int> torn = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) v.AssignAdd(1);
      for (int i = 0; i < 50; ++i) {
        big.AssignAdd(ones);
        const Tensor seen = big.Read();  // one whole value
        if ((Max(seen).item<float>() != Min(seen).item<float>())) ++torn;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(v.Read().item<int>() == 8000);
  CHECK(Max(big).item<float>() == 400);
  CHECK(torn == 0);
}

}  // namespace tandem
