// Gradients of reductions, scans and searches: ties, zeros, any axes, first and second order.
#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/gradient_check.h"

namespace tandem {
namespace {

Tensor F64(const Shape& shape, const std::vector<double>& v) { return Tensor::FromData<double>(shape, v); }

template <class F>
std::vector<double> Gradient(const Tensor& x, F f) {
  GradientTape tape;
  tape.Watch(x);
  return tape.Gradient(f(x), x).template ToVector<double>();
}

}  // namespace

TEST_CASE("elements that share the extreme share its gradient") {
  const Tensor x = F64({4}, {1, 2, 2, 2});
  CHECK(Gradient(x, [](const Tensor& t) { return Max(t, 0); }) == std::vector<double>{0, 1 / 3., 1 / 3., 1 / 3.});
  CHECK(Gradient(F64({2, 2}, {3, 3, 5, 4}), [](const Tensor& t) { return Min(t, 1); }) == std::vector<double>{0.5, 0.5, 0, 1});
  CHECK(Gradient(F64({2, 2}, {3, 1, 3, 4}), [](const Tensor& t) { return Max(t, 0, {.keep_dims = true}); }) == std::vector<double>{0.5, 0, 0.5, 1});
}

TEST_CASE("a product's gradient is right at zeros") {
  CHECK(Gradient(F64({2}, {0, 2}), [](const Tensor& t) { return Prod(t); }) == std::vector<double>{2, 0});
  CHECK(Gradient(F64({3}, {0, 2, 3}), [](const Tensor& t) { return Prod(t); }) == std::vector<double>{6, 0, 0});
  CHECK(Gradient(F64({3}, {0, 0, 3}), [](const Tensor& t) { return Prod(t, 0); }) == std::vector<double>{0, 0, 0});
  CHECK(Gradient(F64({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 11, 12}), [](const Tensor& t) { return Prod(t, {0, 2}); }) ==
        std::vector<double>{112, 56, 0, 0, 792, 660, 16, 14, 0, 108, 360, 330});
}

TEST_CASE("the second derivative of a product at zero") {
  const Tensor x = F64({3}, {0, 2, 3});
  const std::vector<double> want[] = {{0, 3, 2}, {3, 0, 0}, {2, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    GradientTape outer;
    outer.Watch(x);
    Tensor first;
    {
      GradientTape inner;
      inner.Watch(x);
      first = inner.Gradient(Prod(x), x);
    }
    std::vector<double> unit(3, 0);
    unit[i] = 1;
    CHECK(outer.Gradient(first * F64({3}, unit), x).ToVector<double>() == want[i]);
  }
}

TEST_CASE("a running product's gradient is right at zeros") {
  const auto of = [](const std::vector<double>& v) {
    return Gradient(F64({static_cast<int64_t>(v.size())}, v), [](const Tensor& t) { return CumProd(t); });
  };
  CHECK(of({0, 2, 3}) == std::vector<double>{9, 0, 0});
  CHECK(of({2, 3, 0}) == std::vector<double>{4, 2, 6});
  CHECK(of({2, 0, 0, 3}) == std::vector<double>{1, 2, 0, 0});
}

TEST_CASE("gradients agree with differences, twice") {
  const Tensor x = F64({2, 3, 2}, {0.5, -1.25, 2, 0, 1.5, -0.75, 1, 3, -2, 0.25, 4, -1.5});
  const std::pair<const char*, TensorFunction> functions[] = {
      {"sum of squares", [](const Tensors& t) { return Sum(t[0] * t[0], {0, 2}); }},
      {"mean", [](const Tensors& t) { return Mean(t[0] * t[0], -1, {.keep_dims = true}); }},
      {"max", [](const Tensors& t) { return Max(t[0], 1) * Max(t[0]); }},
      {"min", [](const Tensors& t) { return Min(t[0] * t[0] * t[0], {0, 1}); }},
      {"prod", [](const Tensors& t) { return Prod(t[0], {0, 2}); }},
      {"prod of all", [](const Tensors& t) { return Prod(t[0]); }},
      {"prod kept", [](const Tensors& t) { return Prod(t[0], 1, {.keep_dims = true}); }},
      {"l2 loss", [](const Tensors& t) { return L2Loss(t[0]); }},
      {"cumsum", [](const Tensors& t) { return CumSum(t[0] * t[0], 1, {.exclusive = true}); }},
      {"cumsum reversed", [](const Tensors& t) { return CumSum(t[0] * t[0], -1, {.reverse = true}); }},
      {"cumprod", [](const Tensors& t) { return CumProd(t[0], 1); }},
      {"cumprod exclusive", [](const Tensors& t) { return CumProd(t[0], 1, {.exclusive = true}); }},
      {"cumprod reversed", [](const Tensors& t) { return CumProd(t[0], 0, {.reverse = true}); }},
      {"cumprod both", [](const Tensors& t) { return CumProd(t[0], 1, {.exclusive = true, .reverse = true}); }},
      {"top k", [](const Tensors& t) { return TopK(t[0] * t[0] * t[0], 1).values; }},
  };
  for (const auto& [name, f] : functions) {
    CAPTURE(name);
    CHECK(GradientDifference(f, {x}) == "");
    CHECK(SecondGradientDifference(f, {x}) == "");
  }
}

TEST_CASE("in a graph of unknown sizes the gradients are the eager ones") {
  const Tensor x = F64({2, 3}, {0.5, -1.25, 2, 0.25, 1.5, -0.75});
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> functions[] = {
      {"sum", [](const Tensor& t) { return Sum(t * t, 0) * Sum(t); }},
      {"mean", [](const Tensor& t) { return Mean(t * t, 0) * Mean(t); }},
      {"max", [](const Tensor& t) { return Max(t, 0) * Max(t, 1, {.keep_dims = true}); }},
      {"computed axes", [](const Tensor& t) { return Sum(t * t, Rank(t) - 1); }},
      {"prod", [](const Tensor& t) { return Prod(t, 1); }},
      {"cumprod", [](const Tensor& t) { return CumProd(t, 1); }},
      {"top k", [](const Tensor& t) { return TopK(t * t, 2).values; }},
      {"softmax", [](const Tensor& t) { return Softmax(t) * LogSoftmax(t); }},
      {"cross-entropy", [](const Tensor& t) { return SoftmaxCrossEntropyWithLogits(t, t * t).loss; }},
      {"sparse cross-entropy", [](const Tensor& t) { return SparseSoftmaxCrossEntropyWithLogits(t, {2, 0}).loss; }},
      {"bias", [](const Tensor& t) { return BiasAdd(t, Sum(t, 0)) * t; }},
  };
  for (const auto& [name, f] : functions) {
    CAPTURE(name);
    Graph graph;
    Tensor placeholder, gradient;
    {
      GraphScope scope(graph);
      placeholder = Placeholder(kFloat64, {-1, 3}, "x");
      gradient = tandem::Gradients(f(placeholder), placeholder);
    }
    const auto got = Session(graph).Run({{placeholder, x}}, gradient).ToVector<double>();
    const auto want = Gradient(x, f);
    REQUIRE(got.size() == want.size());
    for (size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(want[i]).margin(1e-12));
  }
}

}  // namespace tandem
