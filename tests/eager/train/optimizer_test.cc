// Optimizers: what they refuse, what they skip, names, slots, schedules as rates, training by one call, in both modes.
#include "eager/train/optimizer.h"

#include <catch2/catch.hpp>

#include "core/indexed_slices.h"
#include "tandem.h"
#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem::train {
namespace {

std::vector<float> Values(const Variable& v) { return v.Read().ToVector<float>(); }

}  // namespace

TEST_CASE("gradients and variables that do not fit are refused, and nothing changes") {
  Variable w({1., 2.}, {.name = "w"}), b(3., {.name = "b"});
  AdamOptimizer optimizer;
  CHECK(Thrown([&] { optimizer.ApplyGradients({Tensor({1., 1.})}, {w, b}); }) == "INVALID_ARGUMENT ApplyGradients: 1 gradients for 2 variables");
  CHECK(Thrown([&] { optimizer.ApplyGradients({Tensor({1., 1., 1.})}, {w}); }) ==
        "INVALID_ARGUMENT ApplyGradients: gradient 0 is float32[3], variable \"w\" is float32[2]");
  CHECK(Thrown([&] { optimizer.ApplyGradients({Tensor(), Tensor()}, {w, b}); }) ==
        "INVALID_ARGUMENT ApplyGradients: no gradient for any of the 2 variables (w, b): the loss does not depend on them; "
        "GradientTape::Explain says where the path ends");
  CHECK(Thrown([&] { optimizer.ApplyGradients({Tensor({1., 1.})}, {Variable()}); }) == "INVALID_ARGUMENT ApplyGradients: variable 0 is undefined");
  CHECK(Thrown([&] { optimizer.Minimize(Tensor(1.)); }).starts_with("FAILED_PRECONDITION ComputeGradients: the loss has a value"));
  CHECK(Thrown([&] { optimizer.Minimize([] { return Tensor(1.); }); }) == "INVALID_ARGUMENT ComputeGradients: computing the loss reads no trainable variable");
  CHECK(Thrown([&] { GradientDescentOptimizer(Tensor({1., 2.})).ApplyGradients({Tensor({1., 1.})}, {w}); }) ==
        "INVALID_ARGUMENT optimizer: a hyper-parameter must be a scalar, is [2]");
  CHECK(Values(w) == std::vector<float>{1, 2});
}

TEST_CASE("variables without a gradient are left alone") {
  Variable w({1., 2.}), b(3.), step(int64_t{0}, {.trainable = false});
  MomentumOptimizer optimizer(0.5, 0.9);
  CHECK(optimizer.ApplyGradients({Tensor({1., 1.}), Tensor()}, {w, b}).item<int64_t>() == 1);
  CHECK(Values(w) == std::vector<float>{0.5, 1.5});
  CHECK(Values(b) == std::vector<float>{3});
  CHECK(optimizer.slots(b).empty());
  CHECK(optimizer.ApplyGradients({Tensor({1., 1.})}, {w}, step).item<int64_t>() == 1);
  CHECK(step.item<int64_t>() == 1);
  REQUIRE(optimizer.slots(w).size() == 1);
  CHECK(optimizer.slots(w)[0].name() == "Variable/Momentum");
  REQUIRE(optimizer.state()->slots().size() == 1);
  CHECK(optimizer.state()->slots()[0].name == "momentum");
}

TEST_CASE("Minimize finds the trainable variables that the loss reads") {
  Variable w(1.), fixed(2., {.trainable = false}), unused(5.);
  GradientDescentOptimizer optimizer(0.25);
  const auto loss = [&] { return w * w * fixed; };
  optimizer.Minimize(loss);
  CHECK(w.item<float>() == 0);
  CHECK(fixed.item<float>() == 2);
  w.Assign(1.);
  optimizer.Minimize(loss, {}, {fixed});  // named: trained all the same
  CHECK(fixed.item<float>() == 1.75f);
  CHECK(w.item<float>() == 1);
}

TEST_CASE("a value read before a step stays what it was") {
  Variable w({1., 2.});
  const Tensor before = w.Read();
  GradientDescentOptimizer(1.).ApplyGradients({Tensor({1., 1.})}, {w});
  CHECK(before.ToVector<float>() == std::vector<float>{1, 2});
  const void* place = w.Read().rep()->data;
  GradientDescentOptimizer(1.).ApplyGradients({Tensor({1., 1.})}, {w});
  CHECK(w.Read().rep()->data == place);  // nobody else holds it: in place
}

TEST_CASE("dtypes step apart, each in its own") {
  Variable w({1., 2.}), half(Tensor(std::vector<Half>{Half(1.f), Half(2.f)})), wide(Tensor(std::vector<double>{1, 2}));
  const Tensors gradients = {Tensor({1., 1.}), Tensor(std::vector<Half>{Half(1.f), Half(1.f)}), Tensor(std::vector<double>{1, 1})};
  MomentumOptimizer optimizer(0.5, 0.9);
  for (int i = 0; i < 3; ++i) optimizer.ApplyGradients(gradients, {w, half, wide});
  CHECK(Difference(Cast(wide.Read(), kFloat32), w.Read(), {1e-6, 1e-6}) == "");
  CHECK(Difference(Cast(half.Read(), kFloat32), w.Read(), {1e-2, 1e-2}) == "");
}

TEST_CASE("the gradient of gathered rows is sparse and reads as dense") {
  Variable table(RandomNormal({50, 3}, 0., 1., {.seed = 1}));
  const Tensor indices = {3, 7, 3}, weights = {{1., 2., 3.}, {4., 5., 6.}, {10., 20., 30.}};
  GradientTape tape;
  const Tensor g = tape.Gradient(Sum(Gather(table, indices) * weights), table);
  const auto slices = SlicesOf(g);
  REQUIRE(slices);
  CHECK(slices->indices.ToVector<int>() == std::vector<int>{3, 7, 3});
  CHECK(slices->values.ToVector<float>() == weights.ToVector<float>());
  CHECK(g.shape() == Shape{50, 3});
  CHECK(DifferentBits(g, UnsortedSegmentSum(weights, indices, 50)) == "");
  CHECK(!SlicesOf(g + 0.));

  // Two gathers of one table: one gradient with the rows of both.
  GradientTape two;
  const Tensor first = Sum(Gather(table, indices) * weights), second = Sum(Gather(table, {7, 9}));
  const Tensor sum = two.Gradient(first + second, table);
  REQUIRE(SlicesOf(sum));
  CHECK(SlicesOf(sum)->indices.ToVector<int>() == std::vector<int>{7, 9, 3, 7, 3});
  CHECK(sum[7].ToVector<float>() == std::vector<float>{5, 6, 7});

  // A large table, indices of a higher rank; half types sum in float32.
  Variable large(Zeros({200000, 4}));
  GradientTape third;
  const Tensor big = third.Gradient(Sum(Gather(large, {{5, 199999}, {5, 0}})), large);
  REQUIRE(SlicesOf(big));
  CHECK(SlicesOf(big)->values.shape() == Shape{4, 4});
  CHECK(big[5].ToVector<float>() == std::vector<float>(4, 2));
  CHECK(big[4].ToVector<float>() == std::vector<float>(4, 0));
}

TEST_CASE("the gradient of gathered rows is itself differentiable") {
  Variable table({{1., 2.}, {3., 4.}});
  GradientTape outer;
  Tensor first;
  {
    GradientTape inner;
    const Tensor rows = Gather(table, {1, 1});
    first = inner.Gradient(Sum(rows * rows * rows), table);
  }
  CHECK(first[1].ToVector<float>() == std::vector<float>{54, 96});
  CHECK(outer.Gradient(Sum(first), table).ToVector<float>() == std::vector<float>{0, 0, 36, 48});
}

TEST_CASE("a sparse step leaves other rows and their slots alone") {
  Variable table(Ones({4, 2}));
  MomentumOptimizer optimizer(0.5, 0.9);
  for (int i = 0; i < 2; ++i) optimizer.Minimize([&] { return Sum(Gather(table, {1, 1, 2})); });
  // Row 1: gradient 2, then momentum 0.9 * 2 + 2; row 2 half of it.
  CHECK(Values(table)[0] == 1);
  CHECK(Values(table)[2] == Approx(1 - 0.5 * (2 + 3.8)));
  CHECK(Values(table)[4] == Approx(1 - 0.5 * (1 + 1.9)));
  CHECK(optimizer.slots(table)[0].Read().ToVector<float>()[0] == 0);
}

TEST_CASE("in a graph, gradients come before the first update and the train op is named") {
  // The gradient of each factor reads the other: a step that began early would show.
  Variable eager_a(2.), eager_b(3.);
  GradientDescentOptimizer(0.1).Minimize([&] { return eager_a * eager_b; });
  Graph graph;
  Tensor train_op, loss, a_value, b_value;
  std::string init;
  {
    GraphScope scope(graph);
    Variable a(2., {.name = "a"}), b(3., {.name = "b"}), step(int64_t{7}, {.name = "step", .trainable = false});
    loss = a * b;
    train_op = GradientDescentOptimizer(0.1).Minimize(loss, step);
    init = GlobalVariablesInitializer();
    a_value = a.Read();
    b_value = b.Read();
  }
  Session session(graph);
  session.Run({}, std::vector<TensorName>{}, {init});
  const Tensors got = session.Run({}, std::vector<TensorName>{train_op, loss});
  CHECK(got[0].item<int64_t>() == 8);
  CHECK(got[1].item<float>() == 6);
  CHECK(session.Run({}, a_value).item<float>() == eager_a.item<float>());
  CHECK(session.Run({}, b_value).item<float>() == eager_b.item<float>());
  CHECK(session.Run({}, "GradientDescent:0").item<int64_t>() == 9);
  CHECK(Thrown([&] { GradientDescentOptimizer(0.1).ApplyGradients({loss}, {Variable(1.)}); }) ==
        "FAILED_PRECONDITION ApplyGradients: gradient 0 belongs to a graph: record the step under its GraphScope");
  CHECK(Thrown([] { GlobalVariablesInitializer(); }).starts_with("FAILED_PRECONDITION GlobalVariablesInitializer: no graph is being recorded here"));
}

TEST_CASE("a rate may be a schedule, a callable, a variable or a fed tensor") {
  Variable w(10.), step(int64_t{0}, {.trainable = false}), rate(0.5, {.trainable = false});
  GradientDescentOptimizer by_schedule(PiecewiseConstant(step, {0}, {1., 2.}));
  by_schedule.ApplyGradients({Tensor(1.)}, {w}, step);
  CHECK(w.item<float>() == 9);
  by_schedule.ApplyGradients({Tensor(1.)}, {w}, step);
  CHECK(w.item<float>() == 7);
  int calls = 0;
  GradientDescentOptimizer by_callable([&] { return ++calls; });
  by_callable.ApplyGradients({Tensor(1.)}, {w});
  by_callable.ApplyGradients({Tensor(1.)}, {w});
  CHECK(w.item<float>() == 4);
  GradientDescentOptimizer by_variable(rate);
  by_variable.ApplyGradients({Tensor(1.)}, {w});
  rate.Assign(0.25);
  by_variable.ApplyGradients({Tensor(1.)}, {w});
  CHECK(w.item<float>() == 3.25f);

  Graph graph;
  Tensor fed, train_op;
  {
    GraphScope scope(graph);
    fed = Placeholder(kFloat32, {}, "rate");
    train_op = GradientDescentOptimizer(fed).ApplyGradients({Tensor(1.)}, {w});
  }
  Session session(graph);
  session.Run({{fed, Tensor(2.)}}, train_op);
  session.Run({{fed, Tensor(1.)}}, train_op);
  CHECK(w.item<float>() == 0.25f);
}

}  // namespace tandem::train
