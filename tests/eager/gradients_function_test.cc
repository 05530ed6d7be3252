#include "eager/gradients_function.h"

#include <catch2/catch.hpp>

#include "tandem.h"

namespace tandem {
namespace {

float Value(const Tensor& t) { return t.item<float>(); }

}  // namespace

TEST_CASE("the gradient of a square, of its gradient, and once more") {
  auto square = [](Tensor x) { return x * x; };
  auto grad = GradientsFunction(square);
  CHECK(Value(grad(3.)[0]) == 6.0f);
  auto second = GradientsFunction([&](Tensor x) { return grad(x)[0]; });
  CHECK(Value(second(3.)[0]) == 2.0f);
  auto third = GradientsFunction([&](Tensor x) { return second(x)[0]; });
  CHECK_FALSE(third(3.)[0].defined());
  auto fourth = GradientsFunction([&](Tensor x) { return third(x)[0]; });
  CHECK_FALSE(fourth(3.)[0].defined());
}

TEST_CASE("x^4 differentiated four times at 1") {
  auto f0 = [](Tensor x) { return x * x * x * x; };
  auto f1 = GradientsFunction(f0);
  auto f2 = GradientsFunction([&](Tensor x) { return f1(x)[0]; });
  auto f3 = GradientsFunction([&](Tensor x) { return f2(x)[0]; });
  auto f4 = GradientsFunction([&](Tensor x) { return f3(x)[0]; });
  CHECK(Value(f1(1.)[0]) == 4.0f);
  CHECK(Value(f2(1.)[0]) == 12.0f);
  CHECK(Value(f3(1.)[0]) == 24.0f);
  CHECK(Value(f4(1.)[0]) == 24.0f);
}

TEST_CASE("value and gradients of several arguments, one tensor given twice") {
  const Tensor x = 3.0;
  auto f = ValueAndGradientsFunction([](Tensor a, Tensor b) { return a * a * b; });
  auto [value, gradients] = f(x, x);
  CHECK(Value(value) == 27.0f);
  REQUIRE(gradients.size() == 2);
  CHECK(Value(gradients[0]) == 18.0f);
  CHECK(Value(gradients[1]) == 9.0f);
}

TEST_CASE("an argument that is not used has no gradient, a variable is read") {
  Variable v(2.0);
  auto f = GradientsFunction([](Tensor a, Tensor) { return a * a; });
  const Tensors g = f(v, 1.0);
  CHECK(Value(g[0]) == 4.0f);
  CHECK_FALSE(g[1].defined());
}

TEST_CASE("the argument's history outside is kept for outer tapes") {
  const Tensor x = 2.0;
  GradientTape tape;
  tape.Watch(x);
  const Tensor u = x * x;
  const Tensors g = GradientsFunction([](Tensor a, Tensor b) { return a * a * b; })(u, u);  // 2u^2, u^2
  CHECK(Value(tape.Gradient(g[1], x)) == 32.0f);                                            // d x^4 = 4 x^3
}

}  // namespace tandem
