#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const Tensor kX = {{1., 2., 3.}, {4., 5., 6.}};

// y_i = sum_j x_ij² w_jk: [2, 2], row i of row i only.
Tensor Rows(const Tensor& x) { return MatMul(x * x, Tensor({{1., 0.}, {2., 1.}, {0., -1.}})); }

}  // namespace

TEST_CASE("the Jacobian has y's dimensions, then x's") {
  GradientTape tape;
  const Tensor x = {1., 2., 3.};
  tape.Watch(x);
  const Tensor y = Stack({Sum(x * x), x[0] * x[2]});
  CHECK(DifferentBits(tape.Jacobian(y, x), {{2., 4., 6.}, {3., 0., 1.}}) == "");
  CHECK(Thrown([&] { tape.Jacobian(y, x); }) ==
        "FAILED_PRECONDITION GradientTape: Gradient was called before, and this tape serves one call: make it with {.persistent = true}");
}

TEST_CASE("a Jacobian by several sources, variables among them") {
  Variable w({2., 3.});
  const Tensor x = 5., other = {1., 1.};
  GradientTape tape({.persistent = true});
  tape.Watch({x, other});
  const Tensor y = w * w * x;
  const Tensors j = tape.Jacobian(y, {x, w, other});
  CHECK(DifferentBits(j[0], Tensor({4., 9.})) == "");
  CHECK(DifferentBits(j[1], {{20., 0.}, {0., 30.}}) == "");
  CHECK_FALSE(j[2].defined());
  CHECK(DifferentBits(tape.Jacobian(y, other, UnconnectedGradients::kZero), Zeros({2, 2})) == "");
  CHECK(DifferentBits(tape.Jacobian(Sum(y), w), Tensor({20., 30.})) == "");  // a scalar's Jacobian is its gradient
}

TEST_CASE("the batch Jacobian is the diagonal of the Jacobian") {
  GradientTape tape({.persistent = true});
  tape.Watch(kX);
  const Tensor y = Rows(kX);
  const Tensor batch = tape.BatchJacobian(y, kX), full = tape.Jacobian(y, kX);
  REQUIRE(batch.shape() == Shape({2, 2, 3}));
  REQUIRE(full.shape() == Shape({2, 2, 2, 3}));
  for (int i = 0; i < 2; ++i) CHECK(DifferentBits(batch[i], full.Index({i, Ellipsis, i, Slice(0, 3)})) == "");
  CHECK(Thrown([&] { tape.BatchJacobian(Sum(y, 0), Tensor(1.)); }) ==
        "INVALID_ARGUMENT BatchJacobian: y is [2], x is []: both must be batches of one size");
  CHECK_FALSE(tape.BatchJacobian(y, Tensor({1., 2.})).defined());
}

TEST_CASE("an empty y, an integer y") {
  GradientTape tape({.persistent = true});
  const Tensor x = Zeros({0, 2});
  tape.Watch(x);
  CHECK(tape.Jacobian(x * 2, x).shape() == Shape({0, 2, 0, 2}));
  CHECK(Thrown([&] { tape.Jacobian(Cast(x, kInt32), x); }) == "INVALID_ARGUMENT Jacobian: y is int32, which has no gradient");
}

TEST_CASE("Jacobians are recorded in a graph, with a batch of any size") {
  Graph graph;
  Tensor batch, full;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {-1, 3}, "x"), fixed = Placeholder(kFloat32, {2, 3}, "fixed");
    GradientTape tape({.persistent = true});
    tape.Watch({x, fixed});
    batch = tape.BatchJacobian(Rows(x), x);
    full = tape.Jacobian(Rows(fixed), fixed);
    const Tensor y = Rows(x);
    CHECK(Thrown([&] { tape.Jacobian(y, x); }) == "INVALID_ARGUMENT Jacobian: y is [?,2]: its shape must be known");
  }
  GradientTape tape({.persistent = true});
  tape.Watch(kX);
  const Tensor y = Rows(kX);
  Session session(graph);
  const Tensors got = session.Run({{"x", kX}, {"fixed", kX}}, {batch, full});
  CHECK(DifferentBits(got[0], tape.BatchJacobian(y, kX)) == "");
  CHECK(DifferentBits(got[1], tape.Jacobian(y, kX)) == "");
  CHECK(session.Run({{"x", Zeros({5, 3})}}, batch).shape() == Shape({5, 2, 3}));
}

TEST_CASE("a Jacobian is differentiated by the tape around it") {
  const Tensor x = {1., 2.};
  GradientTape outer;
  outer.Watch(x);
  Tensor jacobian;
  {
    GradientTape inner;
    inner.Watch(x);
    const Tensor y = x * x * x;
    jacobian = inner.Jacobian(y, x);
  }
  CHECK(DifferentBits(outer.Gradient(jacobian, x), Tensor({6., 12.})) == "");
}

}  // namespace tandem
