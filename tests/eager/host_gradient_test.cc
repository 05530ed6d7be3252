#include "core/ops/host_function.h"

#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
TEST_CASE("eagerly a host function is just called") {
  CHECK(EagerFunc("square", [](Tensor x) { return x * x; }, {Tensor(3.0)}, kFloat32).item<float>() == 9.0f);
  const Tensors both = EagerFunc("pair", [](const Tensors& in) { return Tensors{in[0], in[1]}; }, {Tensor(1), Tensor(2.0)}, {kInt32, kFloat32});
  CHECK(both[1].item<float>() == 2.0f);
  CHECK(Caught([] { EagerFunc("two", [](Tensor a, Tensor b) { return a * b; }, {Tensor(3.0)}, kFloat32); }).message() ==
        "the function cannot be called with 1 tensor");
  CHECK(Caught([] { EagerFunc("square", [](Tensor x) { return x; }, {Tensor(3)}, kFloat32); }).message() ==
        "host function \"square\": result 0 is int32, declared is float32");
  CHECK(Caught([] { EagerFunc("none", [](Tensor) { return Tensor(); }, {Tensor(3)}, kFloat32); }).message() ==
        "host function \"none\": result 0 is undefined");
}

TEST_CASE("a name and version belong to one callable") {
  RegisterHostFunction("test_cube", "1", [](const Tensors& in) -> Tensors { return {in[0] * in[0] * in[0]}; });
  const Error e = Caught([] { RegisterHostFunction("test_cube", "1", [](const Tensors& in) -> Tensors { return in; }); });
  CHECK(e.code() == Code::kAlreadyExists);
  CHECK(e.message() == "host function \"test_cube@1\" is registered already");
  CHECK(CallHostFunction("test_cube", "1", {Tensor(2.0)}, {kFloat32})[0].item<float>() == 8.0f);
  const Error absent = Caught([] { CallHostFunction("test_cube", "2", {Tensor(2.0)}, {kFloat32}); });
  CHECK(absent.code() == Code::kNotFound);
}

TEST_CASE("the node's gradient runs the function under a tape, to any order") {
  RegisterHostFunction("test_product", "1", [](const Tensors& in) -> Tensors { return {in[0] * in[0] * in[1], Tensor(7)}; });
  const auto f = [](Tensor a, Tensor b) { return CallHostFunction("test_product", "1", {a, b}, {kFloat32, kInt32})[0]; };
  const Tensors g = GradientsFunction(f)(3., 5.);
  CHECK(g[0].item<float>() == 30.0f);
  CHECK(g[1].item<float>() == 9.0f);
  const Tensors h = GradientsFunction([&](Tensor a, Tensor b) { return GradientsFunction(f)(a, b)[0]; })(3., 5.);  // 2ab
  CHECK(h[0].item<float>() == 10.0f);
  CHECK(h[1].item<float>() == 6.0f);
}

TEST_CASE("what a host function throws names it") {
  RegisterHostFunction("test_throws", "1", [](const Tensors&) -> Tensors { throw std::runtime_error("out of tea"); });
  const Error e = Caught([] { CallHostFunction("test_throws", "1", {Tensor(1.0)}, {kFloat32}); });
  CHECK(e.code() == Code::kUnknown);
  CHECK(e.message() == "host function \"test_throws@1\": out of tea");
}

TEST_CASE("a function's inner tapes and calls are its own") {
  RegisterHostFunction("test_inner", "1", [](const Tensors& in) -> Tensors {
    GradientTape tape;
    tape.Watch(in[0]);
    const Tensor y = CallHostFunction("test_cube", "1", {in[0]}, {kFloat32})[0];
    return {tape.Gradient(y, in[0])};
  });
  CHECK(CallHostFunction("test_inner", "1", {Tensor(2.0)}, {kFloat32})[0].item<float>() == 12.0f);
}

}  // namespace tandem
