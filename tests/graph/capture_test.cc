#include "graph/capture.h"

#include <catch2/catch.hpp>

#include "graph/graph.h"
#include "tandem.h"

namespace tandem {

TEST_CASE("a captured function gives what the function gives, traced once") {
  Variable w({{1.f}, {2.f}});
  int calls = 0;
  const auto model = [&](const Tensor& x) {
    ++calls;
    return MatMul(x, w) + 1;
  };
  const CapturedFunction f = Capture(model, {{kFloat32, {-1, 2}, "images"}});
  CHECK(calls == 1);
  for (int rows : {1, 3, 3}) {
    std::vector<float> ones(rows * 2, 1.f);
    const Tensor y = f(Tensor::FromData<float>({rows, 2}, ones));
    CHECK(y.shape() == Shape{rows, 1});
    CHECK(y.data<float>()[0] == 4.f);
  }
  CHECK(calls == 1);
  CHECK(f.traces() == 1);
  CHECK(f.plans() == 2);
  CHECK(f.input_names() == std::vector<std::string>{"images:0"});
}

TEST_CASE("a captured variable is shared") {
  Variable v({1.f});
  const CapturedFunction f = Capture([&](const Tensor& x) { return x * v; }, {{kFloat32, {1}}});
  v.Assign(Tensor({5.f}));
  const Tensor y = f(Tensor({2.f}));
  CHECK(y.data<float>()[0] == 10.f);
}

TEST_CASE("a call that does not fit is an error that names the argument and the difference") {
  const CapturedFunction f = Capture([](const Tensor& a, const Tensor& b) { return a * b; }, {{kFloat32, {-1, 2}, "a"}, {kFloat32}});
  const Tensor good = {{1.f, 2.f}};
  CHECK_THROWS_WITH(f(good), "Capture: the signature has 2 arguments, the call 1");
  CHECK_THROWS_WITH(f(Tensor({{1, 2}}), good), "Capture: argument 0 (a) is int32[1,2], the signature says float32[?,2]: the dtypes differ");
  CHECK_THROWS_WITH(f(Tensor({{1.f}}), good), "Capture: argument 0 (a) is float32[1,1], the signature says float32[?,2]: dimension 1 is 1, not 2");
  CHECK_THROWS_WITH(f(Tensor({1.f}), good), "Capture: argument 0 (a) is float32[1], the signature says float32[?,2]: rank 1 is not 2");
  CHECK_THROWS_WITH(f(good, Tensor({1})), "Capture: argument 1 (arg1) is int32[1], the signature says float32 of any shape: the dtypes differ");
  CHECK_THROWS_WITH(f(Tensor(), good), "Capture: argument 0 (a) is an undefined tensor");
  CHECK(f.traces() == 1);
}

TEST_CASE("several outputs, constants and arguments among them") {
  const CapturedFunction f = Capture([](const Tensors& in) { return Tensors{in[0], Tensor(7.f), in[0] + in[1]}; }, {{kFloat32, {}}, {kFloat32, {}}});
  const Tensors out = f.Call({Tensor(1.f), Tensor(2.f)});
  CHECK(out[0].item<float>() == 1.f);
  CHECK(out[1].item<float>() == 7.f);
  CHECK(out[2].item<float>() == 3.f);
  CHECK_THROWS_WITH(f(Tensor(1.f), Tensor(2.f)), "Capture: the function has 3 outputs; use Call()");
}

TEST_CASE("a captured graph is saved whole once it is frozen") {
  Variable w({{2.f}}, {.name = "w"});
  const CapturedFunction f = Capture([&](const Tensor& x) { return Identity(MatMul(x, w), "y"); }, {{kFloat32, {-1, 1}, "x"}});
  const Graph loaded = Graph::Parse(f.graph().Freeze().Serialize());
  const Tensor y = Session(loaded).Run({{"x:0", Tensor({{3.f}})}}, "y:0");
  CHECK(y.data<float>()[0] == 6.f);
}

TEST_CASE("control flow on a symbolic value says what to do") {
  CHECK_THROWS_AS(Capture([](const Tensor& x) { return x ? x : x; }, {{kBool, {}}}), Error);
}

}  // namespace tandem
