#include "eager/recompute.h"

#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const Tensor kX = {{1.f, -2.f}, {0.5f, 0.25f}};

std::vector<float> Values(const Tensor& t) { return t.ToVector<float>(); }

}  // namespace

TEST_CASE("a recomputed function has the values and gradients of the function, and runs again for them") {
  Variable w({{0.5f, -1.f}, {0.25f, 0.75f}});
  int calls = 0;
  const auto plain = [&](const Tensor& x) {
    ++calls;
    return Tanh(Exp(MatMul(x, w)) * x);
  };
  GradientTape tape;
  tape.Watch(kX);
  const Tensor want = plain(kX);
  const Tensors dx = tape.Gradient(want, {kX, w});

  const auto again = Recompute(plain);
  calls = 0;
  GradientTape other;
  other.Watch(kX);
  const Tensor y = again(kX);
  CHECK(calls == 1);
  const Tensors got = other.Gradient(y, {kX, w});
  CHECK(calls == 2);
  CHECK(Values(y) == Values(want));
  CHECK(Values(got[0]) == Values(dx[0]));
  CHECK(Values(got[1]) == Values(dx[1]));

  for (bool with_tape : {false, true}) {
    Graph graph;
    Tensor x, out;
    Tensors in_graph;
    {
      GraphScope scope(graph);
      x = Placeholder(kFloat32, {2, 2}, "x");
      if (with_tape) {
        GradientTape inner;
        inner.Watch(x);
        out = again(x);
        in_graph = inner.Gradient(out, {x, w});
      } else {
        out = again(x);
        in_graph = Gradients(Tensors{out}, {x, w.handle()});
      }
    }
    for (OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
      Session session(graph, {.level = level});
      CHECK(Values(session.Run({{x, kX}}, out)) == Values(want));
      CHECK(Values(session.Run({{x, kX}}, in_graph[0])) == Values(dx[0]));
      CHECK(Values(session.Run({{x, kX}}, in_graph[1])) == Values(dx[1]));
    }
    // An optimiser that merged both passes would keep what was to be given up.
    const std::string text = Session(graph).Explain({x}, {in_graph[0], in_graph[1], out}).graph.ToString();
    size_t matmuls = 0;
    for (size_t at = text.find("MatMul("); at != std::string::npos; at = text.find("MatMul(", at + 1)) ++matmuls;
    CHECK(matmuls >= 4);  // forward, again, and two of the gradient
  }
}

TEST_CASE("second derivatives of a recomputed function") {
  const Tensor x = 0.7f;
  const auto cube = [](const Tensor& v) { return v * v * v; };
  const auto again = Recompute(cube);
  const auto second = [&](const auto& f) {
    GradientTape outer;
    outer.Watch(x);
    GradientTape inner;
    inner.Watch(x);
    const Tensor dx = inner.Gradient(f(x), x);
    return outer.Gradient(dx, x).template item<float>();
  };
  CHECK(second(again) == Approx(4.2f));
}

TEST_CASE("a recomputed function of several tensors") {
  const auto both = Recompute([](const Tensors& in) { return Tensors{in[0] * in[1], in[0] + in[1]}; });
  const Tensor a = 2.f, b = 3.f;
  GradientTape tape;
  tape.Watch({a, b});
  const Tensors out = both(Tensors{a, b});
  const Tensors dx = tape.Gradient(out, {a, b});
  CHECK(dx[0].item<float>() == 4.f);
  CHECK(dx[1].item<float>() == 3.f);
  CHECK(Thrown([&] { both(Tensors{a, Tensor()}); }) == "INVALID_ARGUMENT Recompute: input 1 is an undefined tensor");
}

}  // namespace tandem
