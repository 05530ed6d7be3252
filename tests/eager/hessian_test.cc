#include "eager/hessian.h"

#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

Tensor Cubes(const Tensor& x) { return Sum(x * x * x) + x[0] * x[1]; }

}  // namespace

TEST_CASE("the Hessian of a sum of cubes and a product") {
  const Tensor x = {1., 2., 3.};
  CHECK(DifferentBits(Hessian(Cubes, x), {{6., 1., 0.}, {1., 12., 0.}, {0., 0., 18.}}) == "");
  CHECK(DifferentBits(HessianVectorProduct(Cubes, x, {1., 10., 100.}), Tensor({16., 121., 1800.})) == "");
}

TEST_CASE("the Hessian by a variable, by a matrix, of a linear function, of none") {
  Variable w({1., 2.});
  CHECK(DifferentBits(Hessian([&] { return Sum(w * w * w); }, w), {{6., 0.}, {0., 12.}}) == "");
  CHECK(DifferentBits(Hessian([](const Tensor& x) { return Sum(x * x); }, w), {{2., 0.}, {0., 2.}}) == "");
  const Tensor m = {{1., 2.}};
  CHECK(Hessian([](Tensor x) { return Sum(x * x); }, m).shape() == Shape({1, 2, 1, 2}));
  CHECK(DifferentBits(Hessian([](Tensor x) { return Sum(x * 3); }, m), Zeros({1, 2, 1, 2})) == "");
  CHECK(DifferentBits(Hessian([](Tensor) { return Tensor(1.); }, m), Zeros({1, 2, 1, 2})) == "");
  CHECK(Thrown([&] { HessianVectorProduct(Cubes, Tensor({1., 2.}), Tensor(1.)); }) ==
        "INVALID_ARGUMENT Gradient: output_gradients[0] is float32[], y is float32[2]");
}

TEST_CASE("Hessians in a graph have the bits of the eager ones") {
  Graph graph;
  Tensor hessian, product;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {3}, "x");
    hessian = Hessian(Cubes, x);
    product = HessianVectorProduct(Cubes, x, {1., 10., 100.});
  }
  const Tensor x = {.5, -2., 3.};
  const Tensors got = Session(graph).Run({{"x", x}}, {hessian, product});
  CHECK(DifferentBits(got[0], Hessian(Cubes, x)) == "");
  CHECK(DifferentBits(got[1], HessianVectorProduct(Cubes, x, {1., 10., 100.})) == "");
}

}  // namespace tandem
