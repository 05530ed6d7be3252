#include "eager/custom_gradient.h"

#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

float Value(const Tensor& t) { return t.item<float>(); }

}  // namespace

TEST_CASE("the given derivative is used, and differentiated again") {
  // The value is x^2, the derivative is claimed to be x^3.
  auto f = CustomGradient([](Tensor x) {
    return WithGradient{x * x, [x](Tensor dy) { return dy * x * x * x; }};
  });
  CHECK(Value(f(3.0)) == 9.0f);
  auto grad = GradientsFunction(f);
  CHECK(Value(grad(2.0)[0]) == 8.0f);
  auto second = GradientsFunction([&](Tensor x) { return grad(x)[0]; });
  CHECK(Value(second(2.0)[0]) == 12.0f);
}

TEST_CASE("a derivative may use what the function computed") {
  auto f = CustomGradient([](Tensor x) {
    const Tensor e = x * x;
    return WithGradient{e * 1, [e](Tensor dy) { return dy * e; }};
  });
  auto grad = GradientsFunction(f);
  CHECK(Value(grad(3.0)[0]) == 9.0f);
  CHECK(Value(GradientsFunction([&](Tensor x) { return grad(x)[0]; })(3.0)[0]) == 6.0f);
}

TEST_CASE("several arguments and outputs") {
  auto f = CustomGradient([](Tensor a, Tensor b) {
    return WithGradient{Tensors{a * b, a + b}, [](const Tensors& dy) { return Tensors{dy[0] * 10, dy[1] * 100}; }};
  });
  const Tensor a = 2.0, b = 3.0;
  GradientTape tape({.persistent = true});
  tape.Watch({a, b});
  const Tensors y = f(a, b);
  CHECK(Value(y[0]) == 6.0f);
  CHECK(Value(tape.Gradient(y[0], a)) == 10.0f);
  CHECK(Value(tape.Gradient(y[0], b)) == 0.0f);  // dy of the output nobody used is zero
  const Tensors both = tape.Gradient(y, {a, b});
  CHECK(Value(both[1]) == 100.0f);
}

TEST_CASE("a wrong number of gradients names both numbers") {
  const Tensor x = 2.0;
  const auto message = [&](auto backward) {
    auto f = CustomGradient([&](Tensor t) { return WithGradient{t * t, backward}; }, "twice");
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = f(x);
    const Error e = Caught([&] { tape.Gradient(y, x); });
    CHECK(e.code() == Code::kInvalidArgument);
    return e.message().substr(0, e.message().find(" (in"));
  };
  CHECK(message([](Tensor) { return Tensors{}; }) == "twice: the backward function gave 0 gradients for 1 input");
  CHECK(message([](Tensor dy) { return Tensors{dy, dy}; }) == "twice: the backward function gave 2 gradients for 1 input");
  CHECK(message([](Tensor) { return Tensor({1., 2.}); }) ==
        "twice: the backward function gave float32[2] as the gradient of input 0, which is float32[]");
}

TEST_CASE("an exception of the derivative is the gradient's error") {
  const Tensor x = 2.0;
  auto f = CustomGradient([](Tensor t) {
    return WithGradient{t * t, [](Tensor) -> Tensor { throw std::runtime_error("no derivative today"); }};
  }, "f");
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = f(x);
  const Error e = Caught([&] { tape.Gradient(y, x); });
  CHECK(e.code() == Code::kUnknown);
  CHECK_THAT(e.message(), Catch::StartsWith("no derivative today (in the custom gradient f at custom_gradient_test.cc:"));
}

TEST_CASE("what a function captured besides its arguments gets no gradient through it") {
  Variable v(3.0);
  auto f = CustomGradient([&](Tensor x) { return WithGradient{x * v, [](Tensor dy) { return dy * 5; }}; });
  const Tensor x = 2.0;
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = f(x);
  const Tensors g = tape.Gradient(y, Sources{x, v});
  CHECK(Value(g[0]) == 5.0f);
  CHECK_FALSE(g[1].defined());
}

}  // namespace tandem
