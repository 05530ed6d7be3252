#include "eager/gradient_tape.h"

#include <catch2/catch.hpp>
#include <optional>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

float Value(const Tensor& t) { return t.item<float>(); }

}  // namespace

TEST_CASE("a tape differentiates what it recorded") {
  Variable w({{1.0}});
  GradientTape tape;
  const Tensor loss = w * w;
  const Tensor g = tape.Gradient(loss, w);
  CHECK(g.shape() == Shape{1, 1});
  CHECK(Value(g) == 2.0f);
}

TEST_CASE("several sources, tensors and variables, one of them read twice") {
  Variable w(3.0), b(4.0);
  const Tensor x = 5.0;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = w * x + b * w;
  const Tensors g = tape.Gradient(y, {w, b, x});
  CHECK(Value(g[0]) == 9.0f);
  CHECK(Value(g[1]) == 3.0f);
  CHECK(Value(g[2]) == 3.0f);
}

TEST_CASE("an intermediate can be a source, the same source can be asked twice") {
  const Tensor x = 3.0;
  GradientTape tape;
  tape.Watch(x);
  const Tensor u = x * x;
  const Tensors g = tape.Gradient(u * 1, {x, x, u});
  CHECK(Value(g[0]) == 6.0f);
  CHECK(Value(g[1]) == 6.0f);
  CHECK(Value(g[2]) == 1.0f);
}

TEST_CASE("a tape of one use says so") {
  const Tensor x = 2.0;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  tape.Gradient(y, x);
  const Error e = Caught([&] { tape.Gradient(y, x); });
  CHECK(e.code() == Code::kFailedPrecondition);
  CHECK(e.message() == "GradientTape: Gradient was called before, and this tape serves one call: make it with {.persistent = true}");
}

TEST_CASE("a persistent tape differentiates its own gradients when they are taken inside") {
  const Tensor y = 2.0, v = 3.0;
  GradientTape tape({.persistent = true});
  tape.Watch({y, v});
  const Tensor w = y * y * v;
  const Tensor g = tape.Gradient(w, y);
  CHECK(Value(g) == 12.0f);
  CHECK(Value(tape.Gradient(g, v)) == 4.0f);
}

TEST_CASE("a gradient taken after the tape stopped is on no tape") {
  const Tensor y = 2.0, v = 3.0;
  GradientTape outer({.persistent = true});
  outer.Watch({y, v});
  const Tensor w = y * y * v;
  Tensor g;
  {
    auto pause = outer.StopRecording();
    g = outer.Gradient(w, y);
  }
  CHECK(Value(g) == 12.0f);
  CHECK_FALSE(outer.Gradient(g, v).defined());
}

TEST_CASE("nested tapes give higher derivatives") {
  const Tensor x = 2.0;
  GradientTape third;
  third.Watch(x);
  Tensor d2;
  {
    GradientTape second;
    second.Watch(x);
    Tensor d1;
    {
      GradientTape first;
      first.Watch(x);
      const Tensor y = x * x * x;
      d1 = first.Gradient(y, x);
      CHECK(Value(d1) == 12.0f);
    }
    d2 = second.Gradient(d1, x);
    CHECK(Value(d2) == 12.0f);
  }
  CHECK(Value(third.Gradient(d2, x)) == 6.0f);
}

TEST_CASE("inner and outer tape record the same intermediates") {
  const Tensor x = 2.0;
  GradientTape outer;
  outer.Watch(x);
  const Tensor a = x * x;
  GradientTape inner;
  inner.Watch(a);
  const Tensor y = a * a * x;
  const Tensor d = inner.Gradient(y, a);  // 2ax
  CHECK(Value(d) == 16.0f);
  CHECK(Value(outer.Gradient(d, x)) == 24.0f);  // d(2x^3)/dx
}

TEST_CASE("tapes may end in any order") {
  const Tensor x = 3.0;
  std::optional<GradientTape> a(std::in_place), b(std::in_place);
  a->Watch(x);
  b->Watch(x);
  const Tensor y = x * x;
  CHECK(Value(a->Gradient(y, x)) == 6.0f);
  a.reset();
  const Tensor z = y * x;
  CHECK(Value(b->Gradient(z, x)) == 27.0f);
  b.reset();
  CHECK(Value(x * x) == 9.0f);
  CHECK(ExecutingEagerly());
}

TEST_CASE("watching after use records nothing of before") {
  const Tensor y = 2.0;
  GradientTape tape;
  const Tensor z = y * y;
  tape.Watch(y);
  CHECK(tape.Explain(z, y) == "y was not computed from anything this tape watches while it recorded");
  CHECK_FALSE(tape.Gradient(z, y).defined());
}

TEST_CASE("unconnected sources give nothing, or zeros when asked for") {
  const Tensor x = 2.0, other = {{1., 2.}};
  const Tensor integer = 3;
  GradientTape tape({.persistent = true});
  tape.Watch({x, other, integer});
  const Tensor y = x * x;
  CHECK_FALSE(tape.Gradient(y, other).defined());
  CHECK_FALSE(tape.Gradient(y, integer).defined());
  const Tensors zeros = tape.Gradient(y, {other, integer}, {.unconnected = UnconnectedGradients::kZero});
  CHECK(zeros[0].shape() == Shape{1, 2});
  CHECK(zeros[0].data<float>()[1] == 0.0f);
  CHECK(zeros[1].dtype() == kInt32);
  CHECK(tape.Explain(y, integer) == "x is int32, which has no gradient");
  CHECK(tape.Explain(y, Tensor(1.0)) == "x is not watched by this tape: call Watch(x) before y is computed from it");
}

TEST_CASE("output gradients weigh the targets") {
  const Tensor x = {1., 2.};
  GradientTape tape({.persistent = true});
  tape.Watch(x);
  const Tensor y = x * x;
  const Tensor g = tape.Gradient(y, x, {.output_gradients = {Tensor({10., 100.})}});
  CHECK(g.data<float>()[1] == 400.0f);
  const Tensor both = tape.Gradient({y, x}, x);
  CHECK(both.data<float>()[0] == 3.0f);
  CHECK(Caught([&] { tape.Gradient(y, x, {.output_gradients = {Tensor({1., 2., 3.})}}); }).message() ==
        "Gradient: output_gradients[0] is float32[3], y is float32[2]");
}

TEST_CASE("variables that are not trainable are watched on request") {
  Variable v(2.0, {.trainable = false});
  {
    GradientTape tape;
    CHECK_FALSE(tape.Gradient(v * v, v).defined());
  }
  GradientTape tape;
  tape.Watch(v);
  CHECK(Value(tape.Gradient(v * v, v)) == 4.0f);
}

TEST_CASE("a tape can leave variables alone") {
  Variable v(2.0);
  GradientTape tape({.watch_accessed_variables = false});
  const Tensor y = v * v;
  CHECK(tape.watched_handles().empty());
  CHECK_FALSE(tape.Gradient(y, v).defined());
}

TEST_CASE("an output that shares its input's buffer is a value of its own") {
  const Tensor x = 3.0;
  GradientTape tape({.persistent = true});
  tape.Watch(x);
  const Tensor i = Identity(x);
  const Tensor y = i * i;
  CHECK(Value(tape.Gradient(y, i)) == 6.0f);
  CHECK(Value(tape.Gradient(y, x)) == 6.0f);
  CHECK_FALSE(tape.Gradient(x, i).defined());
}

TEST_CASE("explain names the path") {
  const Tensor x = 3.0;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x * x;
  const Tensor z = y + 1;
  const std::string text = tape.Explain(z, x);
  CHECK_THAT(text, Catch::StartsWith("y depends on x through AddV2 at gradient_tape_test.cc:"));
  CHECK_THAT(text, Catch::Contains(", Mul at gradient_tape_test.cc:"));
}

TEST_CASE("a chain of any depth is differentiated without recursion") {
  const Tensor x = 1.0;
  GradientTape tape;
  tape.Watch(x);
  Tensor y = x;
  for (int i = 0; i < 100000; ++i) y = y + x;
  CHECK(Value(tape.Gradient(y, x)) == 100001.0f);
}

TEST_CASE("a straight-through estimator has the gradient of its argument") {
  const Tensor x = 2.4;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = x + StopGradient(Round(x) - x);
  CHECK(Value(y) == 2.0f);
  CHECK(Value(tape.Gradient(y, x)) == 1.0f);
}

TEST_CASE("ops without a gradient cut the path, and explain says which and where") {
  const Tensor x = 2.5;
  GradientTape tape({.persistent = true});
  tape.Watch(x);
  const Tensor stepped = Floor(x) * 3;
  const Tensor back = Cast(Cast(x, kInt32), kFloat32) * 2;
  for (const Tensor& y : {stepped, back}) {
    CHECK_FALSE(tape.Gradient(y, x).defined());
    CHECK(Value(tape.Gradient(y, x, {.unconnected = UnconnectedGradients::kZero})) == 0.0f);
  }
  CHECK_THAT(tape.Explain(back, x), Catch::StartsWith("the path is cut by Cast at gradient_tape_test.cc:"));
  CHECK_THAT(tape.Explain(back, x), Catch::EndsWith("it gives int32, which has no gradient"));
  INFO(tape.Explain(stepped, x));
  CHECK(tape.Explain(stepped, x).find("Floor at gradient_tape_test.cc:") != std::string::npos);
}

}  // namespace tandem
