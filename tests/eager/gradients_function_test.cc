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

TEST_CASE("implicit gradients find the variables that were read") {
  Variable w(3.), b(1.), frozen(5., {.trainable = false});
  const auto both = ImplicitValueAndGradients([&](Tensor x) {
    const Tensor product = x * w * w;
    return product + b * frozen;
  })(2.);
  CHECK(Value(both.value) == 23.0f);
  REQUIRE(both.gradients.size() == 2);
  CHECK(Value(both.gradients[0].gradient) == 12.0f);
  CHECK(Value(both.gradients[1].gradient) == 5.0f);
  for (auto [gradient, variable] : ImplicitGradients([&] { return w * b; })()) variable.AssignSub(gradient);
  CHECK(w.item<float>() == 2.0f);
  CHECK(b.item<float>() == -2.0f);
  CHECK_THROWS_WITH(ImplicitGradients([](Tensor x) { return x * x; })(2.), "ImplicitGradients: the function reads no trainable variable");
}

TEST_CASE("a gradient clipped by its norm, in both modes") {
  const Tensor x = {3., 4.};
  const auto f = [](const Tensor& t) {
    const Tensor c = ClipGradientByNorm(t, 1.);
    return Sum(c * c);
  };
  CHECK(GradientsFunction(f)(x)[0].ToString() == "[0.6 0.8]");
  CHECK(GradientsFunction([](Tensor t) { return Sum(ClipGradientByNorm(t, 9.) * .5); })(x)[0].ToString() == "[0.5 0.5]");
  CHECK(GradientsFunction([](Tensor t) { return Sum(ClipGradientByNorm(t, 9.) * 0); })(x)[0].ToString() == "[0. 0.]");
  Graph graph;
  Tensor in, g;
  {
    GraphScope scope(graph);
    in = Placeholder(kFloat32, {2}, "x");
    g = Gradients(f(in), in);
  }
  CHECK(Session(graph).Run({{in, x}}, g).ToString() == "[0.6 0.8]");
  CHECK_THROWS_WITH(ClipGradientByNorm(x, 0.), "ClipGradientByNorm: norm is 0, must be positive");
}

}  // namespace tandem
