// Gradients of products, convolutions, pools and batch normalization, first and second order.
#include <catch2/catch.hpp>
#include <cmath>

#include "tandem.h"
#include "tests/gradient_check.h"

namespace tandem {
namespace {

// Distinct values without a pattern, none near another: a maximum does not change hands under a small step.
Tensor Values(const Shape& shape, int seed) {
  std::vector<double> v(static_cast<size_t>(*shape.num_elements()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = std::sin(12.9898 * static_cast<double>(i + 1) + seed) * 2;
  return Tensor::FromData<double>(shape, v);
}

struct Row {
  const char* name;
  TensorFunction f;
  Tensors x;
};

}  // namespace

TEST_CASE("gradients of products agree with differences, twice") {
  for (int t = 0; t < 4; ++t) {
    const bool ta = t & 1, tb = t & 2;
    const Tensors x = {Values(ta ? Shape{3, 2} : Shape{2, 3}, 1), Values(tb ? Shape{4, 3} : Shape{3, 4}, 2)};
    const TensorFunction f = [&](const Tensors& v) { return MatMul(v[0], v[1], {ta, tb}); };
    CAPTURE(ta, tb);
    CHECK(GradientDifference(f, x) == "");
    CHECK(SecondGradientDifference(f, x) == "");
    const Tensors batches = {Values(ta ? Shape{2, 1, 3, 2} : Shape{2, 1, 2, 3}, 1), Values(tb ? Shape{2, 4, 3} : Shape{2, 3, 4}, 2)};
    const TensorFunction g = [&](const Tensors& v) { return BatchMatMul(v[0], v[1], {ta, tb}); };
    CHECK(GradientDifference(g, batches) == "");
    CHECK(SecondGradientDifference(g, batches) == "");
  }
}

TEST_CASE("the gradient of a complex product conjugates") {
  const std::vector<std::complex<double>> av = {{1, 2}}, bv = {{3, -1}}, one = {{1, 0}};
  const Tensor a = Tensor::FromData<std::complex<double>>({1, 1}, av), b = Tensor::FromData<std::complex<double>>({1, 1}, bv);
  GradientTape tape;
  tape.Watch(a);
  const Tensor g = tape.Gradient(MatMul(a, b), a, {.output_gradients = {Tensor::FromData<std::complex<double>>({1, 1}, one)}});
  CHECK(g.data<std::complex<double>>()[0] == std::complex<double>(3, 1));
}

TEST_CASE("gradients of convolutions and pools agree with differences, twice") {
  const Conv2DOptions strided = {.strides = {1, 2, 1, 1}, .padding = "SAME"};
  const PoolOptions same = {.ksize = {1, 3, 2, 1}, .strides = {1, 2, 1, 1}, .padding = "SAME"};
  const Row cases[] = {
      {"Conv2D", [&](const Tensors& v) { return Conv2D(v[0], v[1], strided); }, {Values({2, 4, 3, 2}, 1), Values({3, 2, 2, 3}, 2)}},
      {"grouped Conv2D", [](const Tensors& v) { return Conv2D(v[0], v[1]); }, {Values({1, 3, 3, 4}, 1), Values({2, 2, 2, 2}, 2)}},
      {"MaxPool", [&](const Tensors& v) { return MaxPool(v[0], same); }, {Values({1, 4, 3, 2}, 1)}},
      {"squared MaxPool", [&](const Tensors& v) { const Tensor y = MaxPool(v[0], same); return y * y; }, {Values({1, 4, 3, 2}, 1)}},
      {"squared AvgPool", [&](const Tensors& v) { const Tensor y = AvgPool(v[0], same); return y * y; }, {Values({1, 4, 3, 2}, 1)}},
  };
  for (const Row& c : cases) {
    CAPTURE(c.name);
    CHECK(GradientDifference(c.f, c.x) == "");
    CHECK(SecondGradientDifference(c.f, c.x) == "");
  }
}

// FusedBatchNormV3 has no float64: its derivatives are held against those of the same formula in elementary ops.
TEST_CASE("batch normalization has the derivatives of its formula, twice") {
  using Normalization = std::function<Tensor(const Tensor& x, const Tensor& scale, const Tensor& offset)>;
  const Tensor x = Cast(Values({2, 3, 2, 2}, 1), kFloat32), scale = {1.5f, -0.5f}, offset = {0.25f, 2.0f};
  const Tensor weights = Cast(Values({2, 3, 2, 2}, 3), kFloat32), mean = {0.1f, -0.2f}, variance = {0.5f, 2.0f};
  const auto formula = [](const Tensor& x, const Tensor& m, const Tensor& v, const Tensor& scale, const Tensor& offset) {
    return (x - m) * Rsqrt(v + 1e-4f) * scale + offset;
  };
  const std::pair<Normalization, Normalization> pairs[] = {
      {[](const Tensor& x, const Tensor& s, const Tensor& o) { return FusedBatchNorm(x, s, o).y; },
       [&](const Tensor& x, const Tensor& s, const Tensor& o) {
         const Tensor m = Mean(x, {0, 1, 2}), d = x - m;
         return formula(x, m, Mean(d * d, {0, 1, 2}), s, o);
       }},
      {[&](const Tensor& x, const Tensor& s, const Tensor& o) { return FusedBatchNorm(x, s, o, mean, variance, {.is_training = false}).y; },
       [&](const Tensor& x, const Tensor& s, const Tensor& o) { return formula(x, mean, variance, s, o); }},
  };
  const Sources sources = {x, scale, offset};
  const GradientOptions zeros = {.unconnected = UnconnectedGradients::kZero};
  const auto derivatives = [&](const Normalization& f) {
    GradientTape outer;
    outer.Watch(sources);
    Tensors first;
    {
      GradientTape inner;
      inner.Watch(sources);
      const Tensor y = f(x, scale, offset);
      first = inner.Gradient(Sum(y * y * weights), sources, zeros);
    }
    Tensors all = first;
    const Tensor sum = Sum(first[0] * first[0] * weights) + Sum(first[1] * first[1]) + Sum(first[2] * first[2]);
    for (const Tensor& t : outer.Gradient(sum, sources, zeros)) all.push_back(t);
    return all;
  };
  for (const auto& [fused, composed] : pairs) {
    const Tensors got = derivatives(fused), want = derivatives(composed);
    REQUIRE(got.size() == 6);
    for (size_t k = 0; k < 6; ++k) {
      const auto a = got[k].ToVector<double>(), b = want[k].ToVector<double>();
      REQUIRE(a.size() == b.size());
      double largest = 1;
      for (double v : b) largest = std::max(largest, std::abs(v));
      for (size_t i = 0; i < a.size(); ++i) {
        CAPTURE(k, i);
        CHECK(std::abs(a[i] - b[i]) < 1e-4 * largest);
      }
    }
  }
}

}  // namespace tandem
