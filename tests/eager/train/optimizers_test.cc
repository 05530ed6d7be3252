// Twenty steps of each optimizer, as TensorFlow makes them (tools/interop/make_optimizers.py): dense and sparse gradients,
// eagerly and in a graph, whose bits are the same.
#include "eager/train/optimizers.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "core/indexed_slices.h"
#include "tandem.h"
#include "tests/compare.h"

namespace tandem::train {
namespace {

constexpr int kSteps = 20;
const Shape kShape = {4, 3};

using Lines = std::map<std::string, std::vector<std::vector<double>>>;
const Lines& Fixture() {
  static const Lines lines = [] {
    Lines read;
    std::ifstream in("tests/data/optimizers.txt");
    for (std::string line; std::getline(in, line);) {
      std::istringstream text(line);
      std::string key;
      text >> key;
      auto& numbers = read[key].emplace_back();
      for (double x; text >> x;) numbers.push_back(x);
    }
    return read;
  }();
  return lines;
}
Tensor Floats(const std::string& key, int step, const Shape& shape) {
  const auto& numbers = Fixture().at(key).at(step);
  return Tensor::FromData<float>(shape, std::vector<float>(numbers.begin(), numbers.end()));
}
Tensor Indices(int step) {
  const auto& numbers = Fixture().at("indices").at(step);
  return Tensor(std::vector<int32_t>(numbers.begin(), numbers.end()));
}

struct Row {
  std::string name;
  std::function<std::unique_ptr<Optimizer>()> make;
};
const Row kRows[] = {
    {"GradientDescent", [] { return std::make_unique<GradientDescentOptimizer>(0.1); }},
    {"Momentum", [] { return std::make_unique<MomentumOptimizer>(0.1, 0.9); }},
    {"NesterovMomentum", [] { return std::make_unique<MomentumOptimizer>(0.1, 0.9, MomentumOptions{.use_nesterov = true}); }},
    {"Adam", [] { return std::make_unique<AdamOptimizer>(0.01); }},
    {"AdamW", [] { return std::make_unique<AdamWOptimizer>(0.01, AdamWOptions{.weight_decay = 0.1}); }},
    {"Lamb", [] { return std::make_unique<LambOptimizer>(0.01); }},
    {"Adagrad", [] { return std::make_unique<AdagradOptimizer>(0.1); }},
    {"RMSProp", [] { return std::make_unique<RMSPropOptimizer>(0.01, RMSPropOptions{.momentum = 0.5}); }},
    {"CenteredRMSProp", [] { return std::make_unique<RMSPropOptimizer>(0.01, RMSPropOptions{.momentum = 0.5, .centered = true}); }},
    {"Adadelta", [] { return std::make_unique<AdadeltaOptimizer>(1.0); }},
    {"Ftrl", [] {
       return std::make_unique<FtrlOptimizer>(0.1, FtrlOptions{.l1_regularization_strength = 0.01, .l2_regularization_strength = 0.02});
     }},
    {"FtrlPower", [] { return std::make_unique<FtrlOptimizer>(0.1, FtrlOptions{.learning_rate_power = -0.7, .l1_regularization_strength = 0.01}); }},
};

// The loss whose gradient is the fixture's.
Tensor Loss(bool sparse, const Variable& w, const Tensor& gradient, const Tensor& indices) {
  return Sum((sparse ? Gather(w, indices) : w.Read()) * gradient);
}
Tensor Gradient(bool sparse, int step) { return sparse ? Floats("values", step, {3, 3}) : Floats("dense", step, kShape); }

void Check(const std::string& key, int step, const Tensor& got) {
  INFO(key << ", step " << step);
  CHECK(Difference(got, Floats(key, step, kShape), {1e-6, 1e-6}) == "");
}

Tensors RunEager(const Row& row, bool sparse) {
  Variable w(Floats("start", 0, kShape));
  const auto optimizer = row.make();
  Tensors after;
  for (int step = 0; step < kSteps; ++step) {
    optimizer->Minimize([&] { return Loss(sparse, w, Gradient(sparse, step), Indices(step)); });
    after.push_back(w.Read());
  }
  return after;
}

// made_in_graph: the variable, and so the slots, are the graph's own, not shared with eager code.
Tensors RunGraph(const Row& row, bool sparse, bool made_in_graph, OptLevel level) {
  Graph graph;
  Variable w;
  if (!made_in_graph) w = Variable(Floats("start", 0, kShape));
  Tensor gradient, indices, train_op, value;
  std::string init;
  {
    GraphScope scope(graph);
    if (made_in_graph) w = Variable(Floats("start", 0, kShape));
    gradient = Placeholder(kFloat32, sparse ? Shape{3, 3} : kShape, "gradient");
    indices = Placeholder(kInt32, {3}, "indices");
    train_op = row.make()->Minimize(Loss(sparse, w, gradient, indices));
    value = w.Read();
    init = GlobalVariablesInitializer();
  }
  Session session(graph, {.level = level});
  session.Run({}, std::vector<TensorName>{}, {init});
  Tensors after;
  for (int step = 0; step < kSteps; ++step) {
    session.Run({{gradient, Gradient(sparse, step)}, {indices, Indices(step)}}, train_op);
    after.push_back(session.Run({}, value));
  }
  return after;
}

}  // namespace

TEST_CASE("twenty steps are TensorFlow's, in both modes") {
  for (const Row& row : kRows)
    for (bool sparse : {false, true}) {
      const std::string key = row.name + (sparse ? "/sparse" : "/dense");
      if (!Fixture().contains(key)) continue;
      const Tensors eager = RunEager(row, sparse);
      const Tensors plain = RunGraph(row, sparse, false, OptLevel::kO0), optimized = RunGraph(row, sparse, true, OptLevel::kO2);
      for (int step = 0; step < kSteps; ++step) {
        Check(key, step, eager[step]);
        CHECK(DifferentBits(plain[step], eager[step]) == "");
        CHECK(DifferentBits(optimized[step], eager[step]) == "");
      }
    }
}

TEST_CASE("a step over many variables is a step of each") {
  for (const Row& row : kRows) {
    INFO(row.name);
    std::vector<Variable> together, alone;
    Tensors gradients;
    for (int64_t n : {1, 3, 17, 64, 1000}) {
      const Tensor start = RandomNormal({n}, 0., 1., {.seed = static_cast<int>(n)});
      together.emplace_back(start);
      alone.emplace_back(start);
      gradients.push_back(RandomNormal({n}, 0., 1., {.seed = static_cast<int>(n) + 1}));
    }
    const auto all = row.make();
    std::vector<std::unique_ptr<Optimizer>> each;
    for (size_t i = 0; i < alone.size(); ++i) each.push_back(row.make());
    for (int step = 0; step < 3; ++step) {
      all->ApplyGradients(gradients, together);
      for (size_t i = 0; i < alone.size(); ++i) each[i]->ApplyGradients({gradients[i]}, {alone[i]});
    }
    for (size_t i = 0; i < alone.size(); ++i) CHECK(DifferentBits(together[i].Read(), alone[i].Read()) == "");
  }
}

}  // namespace tandem::train
