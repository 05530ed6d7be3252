// Array ops are linear in what they move: f(x) = f(0) + J x. So central differences are exact up to rounding, and the
// gradient's own derivative by dy is J again.
#include <catch2/catch.hpp>
#include <functional>

#include "tandem.h"

namespace tandem {
namespace {

// Values without a pattern.
Tensor Noise(const Shape& shape, uint32_t seed) {
  std::vector<double> v(*shape.num_elements());
  for (double& x : v) x = static_cast<int32_t>(seed = seed * 1664525 + 1013904223) / 2147483648.0;
  return Tensor::FromData<double>(shape, std::span<const double>(v));
}

double Dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
  return sum;
}

struct Row {
  const char* name;
  Shape x;
  std::function<Tensor(const Tensor&)> f;
};

Tensor Const(const Shape& shape) { return Noise(shape, 99); }

const Row kCases[] = {
    {"identity", {2, 3}, [](const Tensor& x) { return Identity(x); }},
    {"identity_n", {2, 3}, [](const Tensor& x) { return IdentityN({x, x})[1]; }},
    {"placeholder_with_default", {2}, [](const Tensor& x) { return PlaceholderWithDefault(x, {-1}); }},
    {"ensure_shape", {2, 3}, [](const Tensor& x) { return EnsureShape(x, {2, -1}); }},
    {"check_numerics", {2, 3}, [](const Tensor& x) { return CheckNumerics(x, "x"); }},
    {"reshape", {2, 3}, [](const Tensor& x) { return Reshape(x, {3, -1}); }},
    {"expand_dims", {2, 3}, [](const Tensor& x) { return ExpandDims(x, 1); }},
    {"squeeze", {2, 1, 3}, [](const Tensor& x) { return Squeeze(x); }},
    {"transpose", {2, 3, 4}, [](const Tensor& x) { return Transpose(x, {1, -1, 0}); }},
    {"reverse", {2, 3}, [](const Tensor& x) { return Reverse(x, {-1}); }},
    {"broadcast_to", {2, 1, 3}, [](const Tensor& x) { return BroadcastTo(x, {4, 2, 5, 3}); }},
    {"tile", {2, 3}, [](const Tensor& x) { return Tile(x, {3, 2}); }},
    {"fill", {}, [](const Tensor& x) { return Fill({2, 3}, x); }},
    {"concat first", {2, 3}, [](const Tensor& x) { return Concat({x, Const({2, 1})}, -1); }},
    {"concat twice", {2, 3}, [](const Tensor& x) { return Concat({x, Const({1, 3}), x}, 0); }},
    {"stack", {2, 3}, [](const Tensor& x) { return Stack({Const({2, 3}), x}, 1); }},
    {"unstack", {2, 3}, [](const Tensor& x) { return Unstack(x, -1)[1]; }},
    {"split", {2, 4}, [](const Tensor& x) { return Split(x, 2, 1)[1]; }},
    {"split_v", {2, 4}, [](const Tensor& x) { return SplitV(x, {1, -1}, 1)[1]; }},
    {"slice", {3, 4}, [](const Tensor& x) { return Slice(x, {1, 1}, {-1, 2}); }},
    {"slice of rows", {3, 4}, [](const Tensor& x) { return Slice(x, {1, 0}, {1, 4}); }},
    {"strided_slice", {3, 4, 5}, [](const Tensor& x) { return x.Index({1, NewAxis, Slice(std::nullopt, std::nullopt, -2), Slice(-4, -1)}); }},
    {"strided_slice_grad", {1, 2}, [](const Tensor& x) { return StridedSliceGrad({3, 4}, {1, 0}, {2, 4}, {1, 2}, x); }},
    {"pad", {2, 3}, [](const Tensor& x) { return Pad(x, {{1, 0}, {2, 1}}); }},
    {"pad_v2", {2, 3}, [](const Tensor& x) { return PadV2(x, {{1, 0}, {2, 1}}, 3.); }},
    {"mirror_pad reflect", {3, 4}, [](const Tensor& x) { return MirrorPad(x, {{2, 1}, {0, 3}}, "REFLECT"); }},
    {"mirror_pad symmetric", {3, 4}, [](const Tensor& x) { return MirrorPad(x, {{3, 1}, {0, 4}}, "SYMMETRIC"); }},
    {"mirror_pad_grad", {6, 7}, [](const Tensor& x) { return MirrorPadGrad(x, {{2, 1}, {0, 3}}, "REFLECT"); }},
    {"gather", {3, 2}, [](const Tensor& x) { return Gather(x, {2, 0, 2}); }},
    {"gather on a middle axis", {2, 3, 2}, [](const Tensor& x) { return Gather(x, {{2, 0}, {1, 2}}, 1); }},
    {"gather in batches", {2, 2, 3, 2}, [](const Tensor& x) { return Gather(x, {{2, 0, 2}, {1, 1, 0}}, 2, {.batch_dims = 1}); }},
    {"gather_nd", {3, 2, 2}, [](const Tensor& x) { return GatherNd(x, {{2, 0}, {0, 1}, {2, 0}}); }},
    {"scatter_nd", {3, 2}, [](const Tensor& x) { return ScatterNd({{1}, {3}, {1}}, x, {4, 2}); }},
    {"tensor_scatter_update, tensor", {4, 2}, [](const Tensor& x) { return TensorScatterUpdate(x, {{1}, {3}}, Const({2, 2})); }},
    {"tensor_scatter_update, updates", {2, 2}, [](const Tensor& x) { return TensorScatterUpdate(Const({4, 2}), {{1}, {3}}, x); }},
    {"unsorted_segment_sum", {4, 2}, [](const Tensor& x) { return UnsortedSegmentSum(x, {0, -1, 2, 0}, 3); }},
    {"a mask", {2, 3}, [](const Tensor& x) { return x.Index({Tensor({{true, false, true}, {false, true, false}})}); }},
    {"index tensors", {2, 3, 4}, [](const Tensor& x) { return x.Index({Slice(), Tensor({0, -1}), Tensor({1, 3})}); }},
};

TEST_CASE("array ops have their gradients, and those theirs") {
  for (const Row& c : kCases) {
    INFO(c.name);
    const Tensor x = Noise(c.x, 1), zero = c.f(Zeros(c.x, kFloat64));
    const Tensor w = Noise(zero.shape(), 2), v = Noise(c.x, 3);
    GradientTape outer;
    outer.Watch(w);
    Tensor dx;
    {
      GradientTape inner;
      inner.Watch(x);
      dx = inner.Gradient(c.f(x), x, {.output_gradients = {w}});
    }
    REQUIRE(dx.defined());
    REQUIRE(dx.shape() == c.x);
    const double want = Dot(w, c.f(v)) - Dot(w, zero);
    CHECK(Dot(dx, v) == Approx(want).margin(1e-12));
    const Tensor dw = outer.Gradient(dx, w, {.output_gradients = {v}});
    REQUIRE(dw.defined());
    REQUIRE(dw.shape() == w.shape());
    CHECK(Dot(dw, w) == Approx(want).margin(1e-12));
  }
}

TEST_CASE("a graph's gradients are the tape's, also where dimensions are not known") {
  for (const Row& c : kCases) {
    for (const int mode : {0, 1, 2, 3}) {
      const bool known = mode & 1, taped = mode & 2;
      INFO(c.name << (known ? ", static shape" : ", unknown dimensions") << (taped ? ", by a tape" : ""));
      const Tensor x = Noise(c.x, 1), w = Noise(c.f(x).shape(), 2);
      GradientTape tape;
      tape.Watch(x);
      const Tensor want = tape.Gradient(c.f(x), x, {.output_gradients = {w}});
      Graph graph;
      Tensor in, dy, dx;
      {
        GraphScope scope(graph);
        in = Placeholder(kFloat64, known ? c.x : Shape(std::vector<int64_t>(c.x.rank(), -1)));
        dy = Placeholder(kFloat64, known ? w.shape() : Shape(std::vector<int64_t>(w.rank(), -1)));
        GradientTape inner;
        inner.Watch(in);
        Tensor y;
        try {
          y = c.f(in);
        } catch (const Error& e) {
          // Unstack must know how many outputs it has; nothing else asks for a size.
          CHECK((!known && std::string(e.what()).find("num must be given") != std::string::npos));
          continue;
        }
        dx = taped ? inner.Gradient(y, in, {.output_gradients = {dy}}) : Gradients(Tensors{y}, Tensors{in}, {dy})[0];
      }
      REQUIRE(dx.defined());
      CHECK(dx.shape().CompatibleWith(c.x));
      const Tensor got = Session(graph).Run({{in, x}, {dy, w}}, dx);
      REQUIRE(got.shape() == c.x);
      CHECK(Dot(got, got) == Approx(Dot(want, want)));
      CHECK(Dot(got, x) == Approx(Dot(want, x)).margin(1e-12));
    }
  }
}

TEST_CASE("stop_gradient stops it") {
  const Tensor x = {1., 2.};
  GradientTape tape;
  tape.Watch(x);
  CHECK(!tape.Gradient(StopGradient(x), x).defined());
}

}  // namespace
}  // namespace tandem
