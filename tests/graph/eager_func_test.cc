// Host functions inside graphs: what EagerFunc records, a Session runs and Gradients differentiates.
#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
TEST_CASE("a graph calls the function that it owns, when it runs") {
  int calls = 0;
  Graph graph;
  Tensor in, out;
  {
    GraphScope scope(graph);
    in = Placeholder(kFloat32, "in");
    out = EagerFunc("square", [&calls](Tensor x) {
      ++calls;
      CHECK(ExecutingEagerly());
      return MatMul(x, x);
    }, {in}, kFloat32);
  }
  CHECK(calls == 0);
  CHECK(Session(graph).Run({{in, {{2.0}}}}, out).ToString() == "[[4.]]");
  CHECK(calls == 1);
}

TEST_CASE("its gradient in the graph runs the function under a tape") {
  Graph graph;
  Tensor x, y, dx, d2x;
  {
    GraphScope scope(graph);
    x = Placeholder(kFloat32, Shape{}, "x");
    y = EagerFunc("cube", [](Tensor t) { return t * t * t; }, {x}, kFloat32);
    dx = Gradients(y, x);
    d2x = Gradients(dx, x);
  }
  Session session(graph);
  CHECK(session.Run({{x, 2.0}}, dx).item<float>() == 12.0f);
  CHECK(session.Run({{x, 2.0}}, d2x).item<float>() == 12.0f);
}

TEST_CASE("two functions of one name are two") {
  Graph graph;
  Tensor a, b;
  {
    GraphScope scope(graph);
    a = EagerFunc("f", [] { return Tensor(1); }, {}, kInt32);
    b = EagerFunc("f", [] { return Tensor(2); }, {}, kInt32);
  }
  Session session(graph);
  CHECK(session.Run({}, a).item<int>() == 1);
  CHECK(session.Run({}, b).item<int>() == 2);
}

TEST_CASE("a function may start a run of its own") {
  Graph inner, outer;
  Tensor ix, iy, ox, oy;
  {
    GraphScope scope(inner);
    ix = Placeholder(kFloat32, Shape{}, "x");
    iy = ix * ix;
  }
  Session session(inner);
  {
    GraphScope scope(outer);
    ox = Placeholder(kFloat32, Shape{}, "x");
    oy = EagerFunc("inner", [&](Tensor x) { return session.Run({{ix, x}}, iy); }, {ox}, kFloat32);
  }
  CHECK(Session(outer).Run({{ox, 3.0}}, oy).item<float>() == 9.0f);
}

TEST_CASE("what it throws is the run's error, with node and function") {
  Graph graph;
  Tensor y, wrong;
  {
    GraphScope scope(graph);
    y = EagerFunc("fails", [](Tensor) -> Tensor { throw std::runtime_error("out of tea"); }, {Tensor(1.0)}, kFloat32);
    wrong = EagerFunc("lies", [](Tensor x) { return x; }, {Tensor(1.0)}, kInt32);
  }
  Session session(graph);
  const Error e = Caught([&] { session.Run({}, y); });
  CHECK(e.code() == Code::kUnknown);
  CHECK(e.node() == "fails");
  CHECK(e.message() == "host function \"fails\": out of tea; node \"fails\"");
  CHECK(Caught([&] { session.Run({}, wrong); }).message() ==
        "host function \"lies\": result 0 is float32, declared is int32; node \"lies\"");
}

TEST_CASE("a registered function is found by name and version") {
  RegisterHostFunction("graph_double", "3", [](const Tensors& in) -> Tensors { return {in[0] + in[0]}; });
  Graph graph;
  Tensor y;
  {
    GraphScope scope(graph);
    y = CallHostFunction("graph_double", "3", {Tensor(4.0)}, {kFloat32})[0];
  }
  CHECK(Session(graph).Run({}, y).item<float>() == 8.0f);
  const Graph loaded = Graph::Parse(graph.Serialize());
  CHECK(Session(loaded).Run({}, y.name()).item<float>() == 8.0f);
}

TEST_CASE("a tape under a graph scope records into the graph") {
  Graph graph;
  Tensor x, dx;
  {
    GraphScope scope(graph);
    x = Placeholder(kFloat32, Shape{2}, "x");
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = x * x * x;
    dx = tape.Gradient(y, x);
    CHECK(dx.symbolic());
  }
  CHECK(Session(graph).Run({{x, Tensor({1., 2.})}}, dx).ToString() == "[ 3. 12.]");
}

TEST_CASE("a tape's seed and zeros of unknown shape are made by the run") {
  Graph graph;
  Tensor x, other;
  Tensors both;
  {
    GraphScope scope(graph);
    x = Placeholder(kFloat32, Shape{-1}, "x");
    other = Placeholder(kFloat32, Shape{-1, 2}, "other");
    GradientTape tape;
    tape.Watch({x, other});
    both = tape.Gradient(x * x, {x, other}, {.unconnected = UnconnectedGradients::kZero});
  }
  Session session(graph);
  CHECK(session.Run({{x, Tensor({1., 2., 3.})}}, both[0]).ToString() == "[2. 4. 6.]");
  CHECK(session.Run({{other, {{1., 2.}}}}, both[1]).ToString() == "[[0. 0.]]");
}

TEST_CASE("custom gradients are used in graphs") {
  auto f = CustomGradient([](Tensor x) { return WithGradient{x * x, [](Tensor dy) { return dy * 100; }}; });
  Graph graph;
  Tensor x, by_walk, by_tape;
  {
    GraphScope scope(graph);
    x = Placeholder(kFloat32, Shape{}, "x");
    by_walk = Gradients(f(x), x);
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = f(x);
    by_tape = tape.Gradient(y, x);
  }
  Session session(graph);
  CHECK(session.Run({{x, 3.0}}, by_walk).item<float>() == 100.0f);
  CHECK(session.Run({{x, 3.0}}, by_tape).item<float>() == 100.0f);
}

}  // namespace tandem
