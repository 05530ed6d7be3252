#include "core/gradient_override.h"

#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

float Value(const Tensor& t) { return t.item<float>(); }

// Where the gradient itself is positive.
Tensors Guided(const Tensors& inputs, const Tensors&, const Tensors& dy) {
  return {Select(LogicalAnd(inputs[0] > 0, dy[0] > 0), dy[0], 0)};
}

}  // namespace

TEST_CASE("an override holds inside its scope, on tapes of inside and outside") {
  const Tensor x = {-1., 1., 2.}, dy = {1., -1., 1.};
  GradientTape outside({.persistent = true});
  outside.Watch(x);
  Tensor y, plain;
  {
    GradientOverride guided("Relu", Guided);
    GradientTape inside;
    inside.Watch(x);
    y = Relu(x);
    CHECK(DifferentBits(inside.Gradient(y, x, {.output_gradients = {dy}}), Tensor({0., 0., 1.})) == "");
  }
  plain = Relu(x);
  CHECK(DifferentBits(outside.Gradient(y, x, {.output_gradients = {dy}}), Tensor({0., 0., 1.})) == "");
  CHECK(DifferentBits(outside.Gradient(plain, x, {.output_gradients = {dy}}), Tensor({0., -1., 1.})) == "");
}

TEST_CASE("an op without a gradient gets one, the innermost override holds, others stay as they are") {
  const Tensor x = 2.5;
  const auto times = [](double k) {
    return [k](const Tensors&, const Tensors&, const Tensors& dy) -> Tensors { return {dy[0] * k}; };
  };
  GradientOverride outer("Round", times(1));
  GradientTape tape({.persistent = true});
  tape.Watch(x);
  const Tensor straight = Round(x * x);
  Tensor inner_y;
  {
    GradientOverride inner("Round", times(100));
    inner_y = Round(x * x);
  }
  CHECK(Value(tape.Gradient(straight, x)) == 5.f);
  CHECK(Value(tape.Gradient(inner_y, x)) == 500.f);
}

TEST_CASE("an override reads inputs and outputs, and is differentiated again") {
  const Tensor x = 3.;
  GradientOverride cubic("Square", [](const Tensors& in, const Tensors& out, const Tensors& dy) -> Tensors { return {dy[0] * out[0] * in[0]}; });
  const auto grad = GradientsFunction([](Tensor t) { return Square(t); });
  CHECK(Value(grad(x)[0]) == 27.f);
  // d(x² x): 3 x², had Square its own derivative; here that of x² is again x³.
  CHECK(Value(GradientsFunction([&](Tensor t) { return grad(t)[0]; })(x)[0]) == 9.f + 27.f * 3.f);
}

TEST_CASE("in a graph an override is the node's, for Gradients and tapes") {
  const Tensor x = {-1., 1., 2.}, dy = {1., -1., 1.};
  Graph graph;
  Tensor by_graph, by_tape;
  {
    GraphScope scope(graph);
    const Tensor in = Placeholder(kFloat32, {3}, "x");
    GradientTape tape;
    tape.Watch(in);
    Tensor y;
    {
      GradientOverride guided("Relu", Guided);
      y = Relu(in);
    }
    by_tape = tape.Gradient(y, in, {.output_gradients = {dy}});
    by_graph = Gradients({y}, {in}, {dy})[0];
  }
  const Tensors got = Session(graph).Run({{"x", x}}, {by_graph, by_tape});
  CHECK(DifferentBits(got[0], Tensor({0., 0., 1.})) == "");
  CHECK(DifferentBits(got[1], Tensor({0., 0., 1.})) == "");
}

TEST_CASE("an override that does not fit says so") {
  CHECK(Thrown([] { GradientOverride("Rellu", Guided); }) == "NOT_FOUND GradientOverride: there is no op \"Rellu\"");
  const Tensor x = {1., 2.};
  const auto message = [&](Tensors dx) {
    GradientOverride wrong("Relu", [dx](const Tensors&, const Tensors&, const Tensors&) { return dx; });
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = Relu(x);
    const std::string text = Thrown([&] { tape.Gradient(y, x); });
    return text.substr(0, text.find(" (in"));
  };
  CHECK(message({x, x}) == "INVALID_ARGUMENT GradientOverride: 2 gradients for the 1 input of Relu");
  CHECK(message({Tensor(1.)}) == "INVALID_ARGUMENT GradientOverride: the gradient of input 0 of Relu is float32[], the input is float32[2]");
}

}  // namespace tandem
