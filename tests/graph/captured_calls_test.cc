// Captured functions where they are called: in graphs, under tapes, by name; and whole training steps.
#include <catch2/catch.hpp>

#include "core/ops/functional.h"
#include "graph/capture.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {

TEST_CASE("a captured function is a node of another graph, with its variables") {
  const Variable w({{2.}});
  const CapturedFunction f = Capture([&](const Tensor& x) { return MatMul(x, w) + 1.; }, {{kFloat32, {-1, 1}}}, {.name = "line"});
  const CapturedFunction g = Capture([&](const Tensor& x) { return f(f(x)); }, {{kFloat32, {-1, 1}}});
  const Tensor x = {{1.}, {2.}};
  CHECK(f(x).ToString() == "[[3.]\n [5.]]");
  CHECK(g(x).ToString() == "[[ 7.]\n [11.]]");
  Graph graph;
  Tensor y, dw;
  {
    GraphScope scope(graph);
    const Tensor in = Placeholder(kFloat32, {-1, 1}, "x");
    y = f(in);
    CHECK(Thrown([&] { f(Placeholder(kFloat32, {2, 3}, "bad")); }) ==
          "INVALID_ARGUMENT Capture: argument 0 (arg0) is float32[2,3], the signature says float32[?,1]: dimension 1 is 3, not 1");
  }
  CHECK(graph.ToString().find("function line(") != std::string::npos);
  for (const OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
    Session session(graph, {.level = level});
    CHECK(session.Run({{"x", x}}, y).ToString() == "[[3.]\n [5.]]");
    Variable(w).Assign({{3.}});
    CHECK(session.Run({{"x", x}}, y).ToString() == "[[4.]\n [7.]]");
    Variable(w).Assign({{2.}});
  }
}

TEST_CASE("a captured function is differentiable, in its arguments and its variables, twice") {
  const Variable w(3.f);
  const CapturedFunction f = Capture([&](const Tensor& x) { return x * x * w; }, {{kFloat32, Shape{}}});
  const Tensor x = 2.f;
  {
    GradientTape tape;
    tape.Watch(x);
    const Tensors d = tape.Gradient(f(x), {x, w});
    CHECK(d[0].item<float>() == 12);
    CHECK(d[1].item<float>() == 4);
  }
  GradientTape outer;
  outer.Watch(x);
  Tensor first;
  {
    GradientTape inner;
    inner.Watch(x);
    first = inner.Gradient(f(x), x);
  }
  CHECK(outer.Gradient(first, x).item<float>() == 6);
}

TEST_CASE("the derivative of a captured function uses what its forward pass drew") {
  const CapturedFunction f = Capture([](const Tensor& x) { return x * RandomUniform({4}); }, {{kFloat32, {4}}});
  const Tensor x = {1., 1., 1., 1.};
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = f(x);
  CHECK(tape.Gradient(y, x).ToString() == y.ToString());
}

TEST_CASE("a captured training step updates in the order of the program") {
  const Variable w(1.f), steps(Tensor(int64_t{0}));
  const CapturedFunction step = Capture(
      [&](const Tensor& x) {
        GradientTape tape;
        const Tensor loss = Square(w * x - 6.);
        Variable(w).AssignSub(tape.Gradient(loss, w) * .1);
        Variable(steps).AssignAdd(int64_t{1});
        return Tensors{loss, w.Read(), steps.Read()};
      },
      {{kFloat32, Shape{}}});
  float eager = 1;
  for (int i = 1; i <= 5; ++i) {
    const Tensors out = step.Call({Tensor(2.f)});
    eager -= 2 * (eager * 2 - 6) * 2 * .1f;
    CHECK(out[1].item<float>() == Approx(eager));
    CHECK(out[1].item<float>() == w.item<float>());
    CHECK(out[2].item<int>() == i);
  }
  CHECK(step.traces() == 1);
}

TEST_CASE("registered functions are called eagerly by name") {
  RegisterFunction("captured_calls_test/square", Capture([](const Tensor& x) { return x * x; }, {{kFloat32, {-1}}}));
  CHECK(CallFunction({"captured_calls_test/square", {}}, {Tensor({2., 3.})}, {kFloat32}, false)[0].ToString() == "[4. 9.]");
  CHECK(Thrown([] { RegisterFunction("captured_calls_test/square", {}); }).starts_with("ALREADY_EXISTS"));
  CHECK(Thrown([] { CallFunction({"nowhere", {}}, {}, {kFloat32}, false); }) ==
        "NOT_FOUND PartitionedCall: there is no function \"nowhere\" in this process: call RegisterFunction first");
}

}  // namespace tandem
