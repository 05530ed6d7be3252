// Gradients of elementwise ops: finite differences in double, first and second order, and the values that cases of other
// frameworks turn on.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "tandem.h"
#include "tests/compare.h"

namespace tandem {
namespace {

using Function = std::function<Tensor(const Tensor&, const Tensor&)>;

Tensor F64(std::initializer_list<double> v) { return Tensor(std::vector<double>(v)); }

double Total(const Tensor& x) {
  double total = 0;
  for (double v : x.data<double>()) total += v;
  return total;
}

// d Sum(f) / d x[i] for every i, by central differences.
std::vector<double> Differences(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  std::vector<double> result;
  const std::vector<double> at = x.ToVector<double>();
  for (size_t i = 0; i < at.size(); ++i) {
    const double h = 1e-6 * std::max(1.0, std::abs(at[i]));
    std::vector<double> up = at, down = at;
    up[i] += h, down[i] -= h;
    const Tensor high = Tensor::FromData<double>(x.shape(), up), low = Tensor::FromData<double>(x.shape(), down);
    result.push_back((Total(f(high)) - Total(f(low))) / (2 * h));
  }
  return result;
}

void CheckClose(const Tensor& got, const Tensor& like, const std::vector<double>& want) {
  REQUIRE(got.defined());
  REQUIRE(got.shape() == like.shape());
  for (size_t i = 0; i < want.size(); ++i) CHECK(got.data<double>()[i] == Approx(want[i]).epsilon(1e-5).margin(1e-6));
}

// Gradients in both arguments, and the gradients of those.
void CheckGradients(const char* name, const Function& f, const Tensor& x, const Tensor& y) {
  INFO(name);
  GradientTape outer({.persistent = true});
  outer.Watch(x);
  outer.Watch(y);
  Tensors first;
  {
    GradientTape inner;
    inner.Watch(x);
    inner.Watch(y);
    const Tensor z = f(x, y);
    first = inner.Gradient(z * z, {x, y});  // z²: so that the upstream is no constant
  }
  const auto squared = [&](const Tensor& a, const Tensor& b) {
    const Tensor z = f(a, b);
    return z * z;
  };
  const auto by_x = [&](const Tensor& a) { return squared(a, y); };
  const auto by_y = [&](const Tensor& b) { return squared(x, b); };
  if (first[0].defined()) CheckClose(first[0], x, Differences(by_x, x));
  if (first[1].defined()) CheckClose(first[1], y, Differences(by_y, y));
  // Second order in x: differences of the first gradient.
  if (!first[0].defined()) return;
  const Tensor second = outer.Gradient(first[0], x);
  const auto gradient = [&](const Tensor& a) {
    GradientTape tape;
    tape.Watch(a);
    const Tensor z = squared(a, y);
    return tape.Gradient(z, a);
  };
  if (second.defined()) CheckClose(second, x, Differences(gradient, x));
}

TEST_CASE("gradients agree with finite differences") {
  const Tensor x = F64({-1.3, -0.4, 0.7, 2.1}), positive = F64({0.3, 0.9, 1.7, 6.2}), y = F64({1.9, -0.8, 0.6, 1.1});
  const auto unary = [&](const char* name, Tensor (*f)(Operand), const Tensor& at) {
    CheckGradients(name, [f](const Tensor& a, const Tensor&) { return f(a); }, at, y);
  };
  unary("Neg", Neg, x), unary("Abs", Abs, x), unary("Square", Square, x), unary("Reciprocal", Reciprocal, x);
  unary("Sqrt", Sqrt, positive), unary("Rsqrt", Rsqrt, positive), unary("Exp", Exp, x), unary("Expm1", Expm1, x);
  unary("Log", Log, positive), unary("Log1p", Log1p, positive), unary("Sin", Sin, x), unary("Cos", Cos, x);
  unary("Tanh", Tanh, x), unary("Sigmoid", Sigmoid, x), unary("Erf", Erf, x), unary("Erfc", Erfc, x);
  unary("Relu", Relu, x), unary("Relu6", Relu6, x), unary("Elu", Elu, x), unary("Softplus", Softplus, x);
  CheckGradients("LeakyRelu", [](const Tensor& a, const Tensor&) { return LeakyRelu(a); }, x, y);
  const auto binary = [&](const char* name, Tensor (*f)(Operand, Operand), const Tensor& at) {
    CheckGradients(name, [f](const Tensor& a, const Tensor& b) { return f(a, b); }, at, y);
    // Broadcast both ways: [4] with [1], [2,1] with [2].
    CheckGradients(name, [f](const Tensor& a, const Tensor& b) { return f(a, b); }, at, F64({1.4}));
    CheckGradients(name, [f](const Tensor& a, const Tensor& b) { return f(a, b); }, F64({1.3}), y);
    CheckGradients(name, [f](const Tensor& a, const Tensor& b) { return f(a, b); }, Reshape(F64({0.4, 1.6}), {2, 1}), F64({0.9, 2.2}));
  };
  binary("Add", Add, x), binary("Sub", Sub, x), binary("Mul", Mul, x), binary("RealDiv", RealDiv, x), binary("Div", Div, x);
  binary("DivNoNan", DivNoNan, x), binary("Pow", Pow, positive), binary("Maximum", Maximum, x), binary("Minimum", Minimum, x);
  binary("SquaredDifference", SquaredDifference, x), binary("FloorMod", FloorMod, F64({0.3, 0.9, 1.7, 6.3}));
  CheckGradients("Select", [](const Tensor& a, const Tensor& b) { return Select(a < b, a, 2 * b); }, x, y);
  CheckGradients("ClipByValue", [](const Tensor& a, const Tensor&) { return ClipByValue(a, -1, 1); }, x, y);
  CheckGradients("AddN", [](const Tensor& a, const Tensor& b) { return AddN(std::vector<Tensor>{a, b, a}); }, x, y);
  CheckGradients("Cast", [](const Tensor& a, const Tensor&) { return Cast(Cast(a, kFloat64) * a, kFloat64); }, x, y);
}

Tensors GradientsOf(const Function& f, const Tensor& a, const Tensor& b, const Tensor& dy = {}) {
  GradientTape tape;
  tape.Watch(a);
  tape.Watch(b);
  Tensor z = f(a, b);
  if (dy.defined()) z = z * dy;
  return tape.Gradient(z, {a, b});
}

TEST_CASE("ties go to the first operand") {
  const Tensor a = {{1.}, {3.}}, b = {1., 2., 3.};
  const Tensors d = GradientsOf([](const Tensor& x, const Tensor& y) { return Maximum(x, y); }, a, b);
  CHECK(DifferentBits(d[0], Tensor({{1.}, {3.}})) == "");
  CHECK(DifferentBits(d[1], Tensor({0., 1., 1.})) == "");
}

TEST_CASE("what is not chosen has no say in the gradient") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = {1., 2.}, b = {3., 4.}, condition = Tensor(std::vector<bool>{false, true});
  // dy = [NaN, 5]: selected, not multiplied by a mask.
  GradientTape tape;
  tape.Watch(a);
  const Tensor y = Select(condition, a, b);
  const Tensor da = tape.Gradient(y, a, {.output_gradients = {Tensor(std::vector<float>{nan, 5})}});
  CHECK(DifferentBits(da, Tensor({0., 5.})) == "");

  // The square root never sees the 0 that is selected away.
  const Tensor s = {5., 25., 0.};
  GradientTape roots;
  roots.Watch(s);
  const Tensor norm = Select(s > 0.25, Sqrt(Select(s > 0.25, s, 1)), 1);
  const Tensor ds = roots.Gradient(norm, s);
  CHECK(Difference(ds, Tensor({.2236068, .1, 0.}), {1e-6, 1e-6}) == "");
}

TEST_CASE("powers at zero") {
  const Tensor x = {0.}, y = {2.};
  const Tensors d = GradientsOf([](const Tensor& a, const Tensor& b) { return Pow(a, b); }, x, y);
  CHECK(d[0].data<float>()[0] == 0);
  CHECK(d[1].data<float>()[0] == 0);
  CHECK(GradientsOf([](const Tensor& a, const Tensor&) { return a * a; }, x, y)[0].data<float>()[0] == 0);
}

TEST_CASE("broadcasting beyond rank five, and its gradients") {
  std::vector<float> a32(32), b16(16);
  for (int i = 0; i < 32; ++i) a32[i] = static_cast<float>(i);
  for (int i = 0; i < 16; ++i) b16[i] = static_cast<float>(i);
  const Tensor a = Reshape(Tensor(a32), {2, 2, 2, 2, 1, 2}), b = Reshape(Tensor(b16), {1, 2, 1, 2, 2, 2});
  GradientTape tape;
  tape.Watch(a);
  tape.Watch(b);
  const Tensor c = a * b;
  CHECK(c.shape() == Shape{2, 2, 2, 2, 2, 2});
  CHECK(Sum(c).item<float>() == 8608);
  CHECK(c.data<float>()[63] == 465);
  CHECK(c.data<float>()[0b101010] == 40);
  CHECK(c.data<float>()[0b010111] == 165);
  const Tensors d = tape.Gradient(c, {a, b});
  CHECK(d[0].shape() == a.shape());
  CHECK(d[1].shape() == b.shape());
  CHECK(Sum(a * d[0]).item<float>() == 8608);
  CHECK(Sum(b * d[1]).item<float>() == 8608);
  CHECK(Sum(Ones({1, 2, 1, 1, 2, 2, 2, 2}) + Ones({2, 2, 2, 2, 1, 2, 2, 1})).item<float>() == 512);
  CHECK((Zeros({0, 1}) + Zeros({1, 3})).shape() == Shape{0, 3});
  CHECK((Tensor(1.) + Ones({2, 2, 2, 2, 2, 2, 2, 2})).shape() == Shape{2, 2, 2, 2, 2, 2, 2, 2});
}

}  // namespace
}  // namespace tandem
