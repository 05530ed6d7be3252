#include <catch2/catch.hpp>

#include "graph/graph.h"
#include "graph/graph_state.h"
#include "graph/session.h"
#include "tandem.h"

namespace tandem {
namespace {

std::vector<float> Values(const Tensor& t) {
  const auto d = t.data<float>();
  return {d.begin(), d.end()};
}

}  // namespace

TEST_CASE("static gradients are what the tape gives") {
  const Tensor value = {{1.f, 2.f}, {3.f, 4.f}}, weight = {{0.5f, -1.f}, {2.f, 0.f}};
  Graph graph;
  Tensor dx, dw;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {2, 2}, "x"), w = Placeholder(kFloat32, {2, 2}, "w");
    const Tensor y = MatMul(x, w) * x;
    const Tensors g = Gradients(Tensors{y}, {x, w});
    dx = g[0], dw = g[1];
  }
  const Tensors got = Session(graph).Run({{"x:0", value}, {"w:0", weight}}, {dx, dw});
  GradientTape tape;
  tape.Watch({value, weight});
  const Tensor y = MatMul(value, weight) * value;
  const Tensors want = tape.Gradient(y, {value, weight});
  CHECK(Values(got[0]) == Values(want[0]));
  CHECK(Values(got[1]) == Values(want[1]));
}

TEST_CASE("gradient nodes lie under their scope and know the forward line") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2}, "x");
  const Tensor y = x * x;
  Gradients(y, x);
  int named = 0;
  for (const Node& node : graph.state().nodes.nodes()) {
    if (!node.name.starts_with("gradients/")) continue;
    ++named;
    if (node.schema().name() == "Mul") {
      REQUIRE(node.extra);
      REQUIRE(!node.extra->forward.empty());
      CHECK(node.extra->forward[0] == graph.state().nodes.node(y.rep()->symbol().node).origin);
    }
  }
  CHECK(named > 0);
}

TEST_CASE("an unconnected source has no gradient, and a source of its own has ones") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2}, "x"), z = Placeholder(kFloat32, {2}, "z");
  CHECK(!Gradients(x * x, z).defined());
  CHECK(!Gradients(StopGradient(x), x).defined());
  const Tensor self = Gradients(x, x);
  CHECK(Values(Session(graph).Run({{x, Tensor({3.f, 4.f})}}, self)) == std::vector<float>{1, 1});
}

TEST_CASE("gradients of captured variables, and of gradients") {
  Variable v({3.f}, {.name = "v"});
  Graph graph;
  GraphScope scope(graph);
  const Tensor y = v * v * v;
  const Tensor dy = Gradients(y, std::vector<Variable>{v})[0];
  const Tensor d2y = Gradients(dy, std::vector<Variable>{v})[0];
  Session session(graph);
  CHECK(Values(session.Run({}, dy)) == std::vector<float>{27});
  CHECK(Values(session.Run({}, d2y)) == std::vector<float>{18});
}

TEST_CASE("a derivative that the user gave is used, and its wrong count named") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {1}, "x");
  Tensors y = {x * x};
  ThrowIfError(CurrentContext().RecordCustom("square", {x}, y, [](const Tensors& dy) { return Tensors{dy[0] * 10}; }, Origin()));
  const Tensor dx = Gradients(y[0], x);
  CHECK(Values(Session(graph).Run({{x, Tensor({3.f})}}, dx)) == std::vector<float>{10});
  Tensors z = {x * x};
  ThrowIfError(CurrentContext().RecordCustom("bad", {x}, z, [](const Tensors&) { return Tensors{}; }, Origin()));
  CHECK_THROWS_WITH(Gradients(z[0], x), Catch::StartsWith("bad: the backward function gave 0 gradients for 1 input"));
}

TEST_CASE("zeros where nothing flows, of tensors and of variables") {
  Graph graph;
  Variable unread({1.f, 2.f});
  Tensors g;
  Tensor x, other;
  {
    GraphScope scope(graph);
    x = Placeholder(kFloat32, {2}, "x");
    other = Placeholder(kFloat32, {-1, 3}, "other");
    Variable own({{1.f}}, {.name = "own"});
    g = Gradients({x * x}, {x, other, unread.handle(), own.handle()}, {}, UnconnectedGradients::kZero);
    CHECK_FALSE(Gradients(x * x, other).defined());
  }
  Session session(graph);
  session.Run({}, std::vector<TensorName>{}, {graph.Initializer()});
  const Tensors got = session.Run({{x, Tensor({3.f, 4.f})}, {other, Ones({2, 3})}}, {g[0], g[1], g[2], g[3]});
  CHECK(Values(got[0]) == std::vector<float>{6, 8});
  CHECK(got[1].shape() == Shape({2, 3}));
  CHECK(Values(got[2]) == std::vector<float>{0, 0});
  CHECK(got[3].shape() == Shape({1, 1}));
}

TEST_CASE("gradients of one value are added in the program's order, as a tape adds them") {
  // x is read by an op without other inputs first, whose reader comes last: an order by readiness would differ.
  const auto f = [](const Tensor& x) {
    const Tensor early = Exp(x), a = x * 1e8f, b = x * -1e8f;
    return a + b + early * .3f;
  };
  const Tensor x = {1.25f, -.5f};
  GradientTape tape;
  tape.Watch(x);
  const Tensor want = tape.Gradient(f(x), x);
  Graph graph;
  Tensor in, g;
  {
    GraphScope scope(graph);
    in = Placeholder(kFloat32, {2}, "x");
    g = Gradients(f(in), in);
  }
  CHECK(Values(Session(graph).Run({{in, x}}, g)) == Values(want));
}

TEST_CASE("wrong arguments of Gradients") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2}, "x"), n = Placeholder(kInt32, {2}, "n");
  CHECK_THROWS_WITH(Gradients(Tensor({1.f}), x), Catch::StartsWith("Gradients: y has a value"));
  CHECK_THROWS_WITH(Gradients(Identity(n), n), "Gradients: y \"Identity:0\" is int32, which has no gradient");
  CHECK_THROWS_WITH(Gradients(Tensors{x}, {x}, {Tensor({1.f, 2.f, 3.f})}), "Gradients: grad_y is float32[3], its y is float32[2]");
  CHECK_THROWS_WITH(Gradients(x, Tensor({1.f})), "Gradients: x: the tensor has a value; a tensor of the graph is wanted");
}

}  // namespace tandem
