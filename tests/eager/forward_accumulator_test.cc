#include "eager/forward_accumulator.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tandem.h"
#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

float Value(const Tensor& t) { return t.item<float>(); }

// What the Jacobian, taken backwards, says: [y…, x…] v.
Tensor ByJacobian(const std::function<Tensor(const Tensor&)>& f, const Tensor& x, const Tensor& v) {
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = f(x);
  const Tensor j = tape.Jacobian(y, x);
  return Reshape(MatMul(Reshape(j, {-1, x.size()}), Reshape(v, {-1, 1})), y.shape());
}

}  // namespace

TEST_CASE("a Jacobian-vector product of many ops is the Jacobian times the vector") {
  const Tensor x = {{.5, -1., 2.}, {1.5, .25, -.75}}, v = {{1., 2., -1.}, {.5, 0., 3.}};
  const struct {
    const char* name;
    std::function<Tensor(const Tensor&)> f;
  } rows[] = {
      {"product", [](const Tensor& t) { return t * t * 3; }},
      {"matmul", [](const Tensor& t) { return MatMul(t, t, {.transpose_b = true}); }},
      {"activations", [](const Tensor& t) { return Tanh(Relu(t)) + Sigmoid(t) + Softplus(t) + Elu(t); }},
      {"softmax", [](const Tensor& t) { return Softmax(t); }},
      {"log softmax", [](const Tensor& t) { return LogSoftmax(t); }},
      {"reductions", [](const Tensor& t) { return Mean(t, 1) + Max(t, 1) + Prod(t, 1); }},
      {"shapes", [](const Tensor& t) { return Concat({Transpose(t), Reshape(t, {3, 2})}, 0); }},
      {"gather", [](const Tensor& t) { return Gather(t, {1, 0, 1}); }},
      {"slices", [](const Tensor& t) { return t.Index({Slice(0, 2), 1}) * t.Index({Ellipsis, 0}); }},
      {"division", [](const Tensor& t) { return Exp(t) / (1 + t * t); }},
      {"select", [](const Tensor& t) { return Select(t > 0, t * t, -t); }},
      {"norm", [](const Tensor& t) { return Sqrt(Sum(t * t)); }},
      {"convolution", [](const Tensor& t) { return Conv2D(Reshape(t, {1, 2, 3, 1}), Reshape(t, {2, 3, 1, 1}), {.padding = "SAME"}); }},
      {"pooling", [](const Tensor& t) { return MaxPool(Reshape(Concat({t, t * 2}, 0), {1, 4, 3, 1})); }},
      {"loss", [](const Tensor& t) { return losses::SparseSoftmaxCrossEntropy(Tensor({2, 0}), t); }},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    ForwardAccumulator acc(x, v);
    CHECK(Difference(acc.Jvp(row.f(x)), ByJacobian(row.f, x, v), {1e-4, 1e-5}) == "");
  }
}

TEST_CASE("variables are primals, several move at once") {
  Variable w(3.);
  const Tensor x = 2.;
  ForwardAccumulator acc({x, w}, {Tensor(1.), Tensor(10.)});
  const Tensor y = x * w * w;                 // dy = w² dx + 2 x w dw
  CHECK(Value(acc.Jvp(y)) == 9.f + 120.f);
  CHECK(Value(acc.Jvp(x)) == 1.f);
  CHECK(Value(acc.Jvp(y)) == 129.f);          // any number of times
}

TEST_CASE("what does not depend on a primal has no derivative") {
  const Tensor x = 2., other = 5.;
  ForwardAccumulator acc(x, Tensor(1.));
  const Tensor y = other * other, n = Cast(x, kInt32);
  CHECK_FALSE(acc.Jvp(y).defined());
  CHECK_FALSE(acc.Jvp(n).defined());
  CHECK(Value(acc.Jvp(y, UnconnectedGradients::kZero)) == 0.f);
}

TEST_CASE("forward over reverse, reverse over forward, forward over forward") {
  const Tensor x = {1., 2.}, v = {3., 5.};
  const auto f = [](const Tensor& t) { return Sum(t * t * t); };
  {
    ForwardAccumulator acc(x, v);
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = f(x);
    CHECK(DifferentBits(acc.Jvp(tape.Gradient(y, x)), HessianVectorProduct(f, x, v)) == "");
  }
  {
    GradientTape tape;
    tape.Watch(x);
    ForwardAccumulator acc(x, v);
    const Tensor jvp = acc.Jvp(f(x));
    CHECK(DifferentBits(tape.Gradient(jvp, x), HessianVectorProduct(f, x, v)) == "");
  }
  {
    ForwardAccumulator outer(x, v);
    Tensor jvp;
    {
      ForwardAccumulator inner(x, v);
      jvp = inner.Jvp(f(x));
    }
    CHECK(Value(outer.Jvp(jvp)) == Value(Sum(v * HessianVectorProduct(f, x, v))));
  }
}

TEST_CASE("custom gradients are followed, backward and so forward") {
  const auto f = CustomGradient([](Tensor t) { return WithGradient{t * t, [](Tensor dy) { return dy * 7; }}; });
  const Tensor x = 3.;
  ForwardAccumulator acc(x, Tensor(2.));
  CHECK(Value(acc.Jvp(f(x))) == 14.f);
}

TEST_CASE("a Jvp in a graph has the bits of the eager one") {
  const auto f = [](const Tensor& t) { return Tanh(MatMul(t, t)) * t; };
  const Tensor x = {{.5, 1.}, {-1., 2.}}, v = {{1., 0.}, {2., -1.}};
  Graph graph;
  Tensor y, dy;
  {
    GraphScope scope(graph);
    const Tensor in = Placeholder(kFloat32, {2, 2}, "x");
    ForwardAccumulator acc(in, v);
    y = f(in);
    dy = acc.Jvp(y);
  }
  ForwardAccumulator acc(x, v);
  CHECK(DifferentBits(Session(graph).Run({{"x", x}}, dy), acc.Jvp(f(x))) == "");
}

TEST_CASE("a tangent must fit its primal") {
  const Tensor x = {1., 2.};
  CHECK(Thrown([&] { ForwardAccumulator(x, Tensor(1.)); }) ==
        "INVALID_ARGUMENT ForwardAccumulator: tangent 0 is float32[], its primal is float32[2]");
  CHECK(Thrown([&] { ForwardAccumulator({x, x}, {x}); }) == "INVALID_ARGUMENT ForwardAccumulator: 1 tangents for 2 primals");
  CHECK(Thrown([&] { ForwardAccumulator(x, Tensor()); }) == "FAILED_PRECONDITION ForwardAccumulator: tangent 0 is undefined");
}

}  // namespace tandem
