// Learning-rate schedules, clipping, moving averages and the global step, in both modes.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem::train {
namespace {

// The rate at a step, which eager code and a graph must agree on.
float RateAt(const Schedule& schedule, Variable& step, int64_t at) {
  step.Assign(at);
  const float eager = schedule().item<float>();
  Graph graph;
  Tensor rate;
  {
    GraphScope scope(graph);
    rate = schedule();
  }
  CHECK(Session(graph).Run({}, rate).item<float>() == eager);
  return eager;
}

struct Row {
  std::string name;
  std::function<Schedule(const Variable&)> make;
  int64_t step;
  double want;
};

}  // namespace

TEST_CASE("schedules follow their formulas") {
  const Row rows[] = {
      {"piecewise, at a boundary", [](const Variable& s) { return PiecewiseConstant(s, {10, 20}, {1., .5, .1}); }, 10, 1},
      {"piecewise, behind it", [](const Variable& s) { return PiecewiseConstant(s, {10, 20}, {1., .5, .1}); }, 11, .5},
      {"piecewise, last", [](const Variable& s) { return PiecewiseConstant(s, {10, 20}, {1., .5, .1}); }, 1000, .1},
      {"exponential", [](const Variable& s) { return ExponentialDecay(0.1, s, 10, 0.5); }, 15, 0.1 * std::pow(0.5, 1.5)},
      {"exponential, stairs", [](const Variable& s) { return ExponentialDecay(0.1, s, 10, 0.5, {.staircase = true}); }, 15, 0.05},
      {"inverse time", [](const Variable& s) { return InverseTimeDecay(0.1, s, 10, 0.5); }, 20, 0.1 / (1 + 0.5 * 2)},
      {"polynomial", [](const Variable& s) { return PolynomialDecay(0.1, s, 100, {.end_learning_rate = 0.02, .power = 2}); }, 50, 0.08 * 0.25 + 0.02},
      {"polynomial, past its end", [](const Variable& s) { return PolynomialDecay(0.1, s, 100, {.end_learning_rate = 0.02}); }, 500, 0.02},
      {"polynomial, cycling", [](const Variable& s) { return PolynomialDecay(0.1, s, 100, {.end_learning_rate = 0., .cycle = true}); }, 150, 0.1 * 0.25},
      {"polynomial, cycling from 0", [](const Variable& s) { return PolynomialDecay(0.1, s, 100, {.end_learning_rate = 0., .cycle = true}); }, 0, 0.1},
      {"cosine", [](const Variable& s) { return CosineDecay(0.1, s, 100, {.alpha = 0.1}); }, 25,
       0.1 * (0.9 * 0.5 * (1 + std::cos(std::numbers::pi / 4)) + 0.1)},
      {"cosine, past its end", [](const Variable& s) { return CosineDecay(0.1, s, 100); }, 101, 0},
      {"warm-up", [](const Variable& s) { return WarmUp(0.1, s, 10); }, 5, 0.05},
      {"warm-up, then a schedule", [](const Variable& s) { return WarmUp(ExponentialDecay(0.1, s, 10, 0.5), s, 10); }, 20, 0.025},
  };
  Variable step(int64_t{0}, {.trainable = false});
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(RateAt(row.make(step), step, row.step) == Approx(row.want).margin(1e-7));
  }
  CHECK(Thrown([&] { PiecewiseConstant(step, {1, 2}, {1., 2.}); }) == "INVALID_ARGUMENT PiecewiseConstant: 2 values for 2 boundaries, must be one more");
  CHECK(Thrown([&] { PiecewiseConstant(step, {2, 2}, {1., 2., 3.}); }) == "INVALID_ARGUMENT PiecewiseConstant: boundaries[1] is 2, must be greater than 2");
  CHECK(Thrown([&] { CosineDecay(0.1, step, 0); }) == "INVALID_ARGUMENT CosineDecay: the number of steps is 0, must be positive");
}

TEST_CASE("clipping") {
  const Tensors gradients = {Tensor({3., 0.}), Tensor(), Tensor({{0., 4.}})};
  CHECK(GlobalNorm(gradients).item<float>() == 5);
  const auto [clipped, norm] = ClipByGlobalNorm(gradients, 2.5);
  CHECK(norm.item<float>() == 5);
  CHECK(clipped[0].ToVector<float>() == std::vector<float>{1.5, 0});
  CHECK(!clipped[1].defined());
  CHECK(clipped[2].ToVector<float>() == std::vector<float>{0, 2});
  CHECK(ClipByGlobalNorm(gradients, 10.).clipped[0].ToVector<float>() == std::vector<float>{3, 0});
  const Tensor infinite = {std::numeric_limits<double>::infinity()};
  CHECK(std::isnan(ClipByGlobalNorm({infinite}, 1.).clipped[0].ToVector<float>()[0]));
  CHECK(Thrown([] { GlobalNorm({Tensor()}); }) == "INVALID_ARGUMENT GlobalNorm: no tensor of 1 is defined");

  CHECK(ClipByNorm(Tensor({3., 4.}), 1.).ToVector<float>() == std::vector<float>{0.6f, 0.8f});
  CHECK(ClipByNorm(Tensor({3., 4.}), 6.).ToVector<float>() == std::vector<float>{3, 4});
  CHECK(ClipByNorm(Tensor({{3., 4.}, {0., 1.}}), 1., 1).ToVector<float>() == std::vector<float>{0.6f, 0.8f, 0, 1});
  const Tensor zero = {0., 0.};
  GradientTape tape;
  tape.Watch(zero);
  CHECK(tape.Gradient(Sum(ClipByNorm(zero, 1.)), zero).ToVector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("moving averages") {
  Variable w({1., 2.}, {.name = "w"});
  ExponentialMovingAverage average(0.75);
  CHECK(Thrown([&] { average.Average(w); }) == "FAILED_PRECONDITION ExponentialMovingAverage: variable \"w\" was never applied");
  average.Apply({w});
  w.Assign({5., 2.});
  average.Apply({w});
  CHECK(average.Average(w).Read().ToVector<float>() == std::vector<float>{2, 2});
  CHECK(average.Average(w).name() == "w/ExponentialMovingAverage");

  Graph graph;
  Tensor update, value, assign;
  std::string init;
  {
    GraphScope scope(graph);
    Variable v(Tensor(8.f), {.name = "v"});
    ExponentialMovingAverage early(0.999, Variable(int64_t{2}, {.name = "updates", .trainable = false}));  // decay 3 / 12
    update = early.Apply({v});
    value = early.Average(v).Read();
    assign = v.Assign(4.f);
    init = GlobalVariablesInitializer();
  }
  Session session(graph);
  session.Run({}, std::vector<TensorName>{}, {init});
  CHECK(session.Run({}, value).item<float>() == 8);
  session.Run({}, assign);
  session.Run({}, update);
  CHECK(session.Run({}, value).item<float>() == 5);
}

TEST_CASE("the global step is one for the process") {
  const Variable a = GetOrCreateGlobalStep(), b = GetOrCreateGlobalStep();
  CHECK(a.handle().rep() == b.handle().rep());
  CHECK(a.name() == "global_step");
  CHECK(a.dtype() == kInt64);
  CHECK(!a.trainable());
}

}  // namespace tandem::train
