#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

std::string At(const char* op, int line) { return std::string(op) + " at tape_explain_test.cc:" + std::to_string(line); }

}  // namespace

TEST_CASE("a path through a variable, and variables that are on none") {
  Variable w(2.), frozen(3., {.trainable = false}), unread(4.);
  GradientTape tape;
  const Tensor x = 5.;
  tape.Watch(x);
  const int line = __LINE__ + 1;
  const Tensor y = w * x + frozen;
  CHECK(tape.Explain(y, w) == "y depends on x through " + At("AddV2", line) + ", " + At("Mul", line) + ", " + At("ReadVariableOp", line));
  const std::string not_read = "x was not read while the tape recorded (or is not trainable: Watch it)";
  CHECK(tape.Explain(y, frozen) == not_read);
  CHECK(tape.Explain(y, unread) == not_read);
  tape.Gradient(y, w);
  CHECK(tape.Explain(y, w) != "");  // a used tape still explains
}

TEST_CASE("a value that went through a variable is cut there") {
  Variable store(0.);
  const Tensor x = 2.;
  GradientTape tape;
  tape.Watch(x);
  store.Assign(x * x);
  const Tensor y = store * 3;
  CHECK_FALSE(tape.Gradient(y, x).defined());
  CHECK(tape.Explain(y, x) == "y does not depend on x in anything the tape recorded (was x watched only after y was computed?)");
}

TEST_CASE("host functions are ops of the path, in both modes") {
  RegisterHostFunction("explain_square", "1", [](const Tensors& in) -> Tensors { return {in[0] * in[0]}; });
  {
    const Tensor x = 2.;
    GradientTape tape;
    tape.Watch(x);
    const int line = __LINE__ + 1;
    const Tensor y = CallHostFunction("explain_square", "1", {x}, {kFloat32})[0];
    CHECK(tape.Explain(y, x) == "y depends on x through " + At("EagerPyFunc", line));
  }
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, Shape{}, "x");
  GradientTape tape;
  tape.Watch(x);
  const int line = __LINE__ + 1;
  const Tensor y = EagerFunc("square", [](Tensor t) { return t * t; }, {x}, kFloat32) * 2;
  CHECK(tape.Explain(y, x) == "y depends on x through " + At("Mul", line) + ", " + At("EagerPyFunc", line));
}

TEST_CASE("a custom gradient is one step, and says what it gives nothing for") {
  const Tensor a = 2., b = 3.;
  GradientTape tape({.persistent = true});
  tape.Watch({a, b});
  const int line = __LINE__ + 1;
  const auto first = CustomGradient([](Tensor p, Tensor q) { return WithGradient{p * q, [](Tensor dy) { return Tensors{dy, Tensor()}; }}; }, "first");
  const Tensor y = first(a, b);
  CHECK(tape.Explain(y, a) == "y depends on x through " + At("first", line));
  CHECK_FALSE(tape.Gradient(y, b).defined());
  CHECK(tape.Explain(y, b) == "the gradient of " + At("first", line) + " gives nothing for this input");
  CHECK(tape.Explain(y, a) == "y depends on x through " + At("first", line));  // the other input is what it was
}

TEST_CASE("what a custom gradient captured is named as hidden by it") {
  Variable v(3.);
  const Tensor x = 2.;
  GradientTape tape;
  tape.Watch(x);
  const int line = __LINE__ + 1;
  const auto f = CustomGradient([&](Tensor t) { return WithGradient{t * v, [](Tensor dy) { return dy * 5; }}; }, "f");
  const Tensor y = f(x);
  CHECK(tape.Explain(y, v) == "the path is cut by " + At("f", line) + ": a custom gradient flows to its function's arguments only");
  CHECK_FALSE(tape.Gradient(y, v).defined());
}

TEST_CASE("the op that cuts, with the line, past a variable") {
  Variable w(2.5);
  GradientTape tape;
  const int line = __LINE__ + 1;
  const Tensor y = Floor(w * 2) * 3;
  CHECK_THAT(tape.Explain(y, w), Catch::StartsWith("the path is cut by " + At("Floor", line)));
  CHECK_FALSE(tape.Gradient(y, w).defined());
}

}  // namespace tandem
