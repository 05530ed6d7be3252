// Update fusion: which steps of an optimizer become one node, which do not, and that the bits stay.
#include <catch2/catch.hpp>

#include "core/context.h"
#include "tandem.h"
#include "tests/compare.h"

namespace tandem {
namespace {

// The same values each time.
std::vector<Variable> Weights() {
  std::vector<Variable> w;
  for (int64_t n : {5, 64, 33}) w.emplace_back(Sin(Cast(Range(n), kFloat32)));
  return w;
}
Tensor Loss(const std::vector<Variable>& w, const Tensor& x) {
  Tensor sum = 0.f;
  for (const Variable& v : w) sum = sum + Sum(Square(v * x));
  return sum;
}
int Count(const std::string& text, const std::string& word) {
  int n = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++n;
  return n;
}

template <class Optimizer>
void CheckFused(const std::function<Optimizer()>& make, const std::string& op) {
  INFO(op);
  Tensors values[2];
  for (bool optimized : {false, true}) {
    const std::vector<Variable> w = Weights();
    Graph graph;
    Tensor x, train_op;
    {
      GraphScope scope(graph);
      x = Placeholder(kFloat32, {}, "x");
      train_op = Identity(make().Minimize(Loss(w, x)), "step");  // a constant that waits for the updates
    }
    Session session(graph, {.level = optimized ? OptLevel::kO2 : OptLevel::kO0});
    for (int step = 0; step < 3; ++step) session.Run({{x, Tensor(0.5f + step)}}, train_op);
    for (const Variable& v : w) values[optimized].push_back(v.Read());
    const std::string ran = session.Explain({x}, {train_op}).graph.ToString();
    CHECK(Count(ran, "FusedResourceApply(") == optimized);
    CHECK(Count(ran, " " + op + "(") == (optimized ? 0 : 3));
    CHECK(Count(graph.ToString(), "FusedResourceApply(") == 0);  // what is saved holds TensorFlow's ops
  }
  for (size_t i = 0; i < values[0].size(); ++i) CHECK(DifferentBits(values[1][i], values[0][i]) == "");
}

// What a Session runs of updates that `record` records, up to the node "done".
std::string Optimized(const std::function<void(const Variable& a, const Variable& b, const Tensor& g)>& record) {
  Variable a({1., 2.}, {.name = "a"}), b({3., 4.}, {.name = "b"});
  Graph graph;
  Tensor g;
  {
    GraphScope scope(graph);
    g = Placeholder(kFloat32, {2}, "g");
    record(a, b, g);
  }
  Session session(graph);
  return session.Explain({g}, {}, {"done"}).graph.ToString();
}
void Apply(const Variable& v, const Tensor& rate, const Tensor& g, std::string_view name) {
  const Tensor inputs[] = {v.handle(), rate, g};
  RunMany(Op<"ResourceApplyGradientDescent">(), inputs, {false}, Origin(), name);
}

}  // namespace

TEST_CASE("the updates of a step become one node") {
  CheckFused<train::GradientDescentOptimizer>([] { return train::GradientDescentOptimizer(0.01); }, "ResourceApplyGradientDescent");
  CheckFused<train::MomentumOptimizer>([] { return train::MomentumOptimizer(0.01, 0.9, {.use_nesterov = true}); }, "ResourceApplyMomentum");
  CheckFused<train::AdamOptimizer>([] { return train::AdamOptimizer(0.01); }, "ResourceApplyAdam");
  CheckFused<train::FtrlOptimizer>([] { return train::FtrlOptimizer(0.01, {.l1_regularization_strength = 0.001}); }, "ResourceApplyFtrl");
}

TEST_CASE("updates with other scalars, or in an order, stay apart") {
  const Tensor rate = 0.5f, other = 0.25f;
  const auto fused = [&](const std::function<void(const Variable&, const Variable&, const Tensor&)>& updates) {
    return Count(Optimized([&](const Variable& a, const Variable& b, const Tensor& g) {
      updates(a, b, g);
      ControlDependencies after({"apply_a", "apply_b"});
      NoOp("done");
    }), "FusedResourceApply(");
  };
  CHECK(fused([&](const Variable& a, const Variable& b, const Tensor& g) {
          Apply(a, rate, g, "apply_a");
          Apply(b, rate, g, "apply_b");
        }) == 1);
  CHECK(fused([&](const Variable& a, const Variable& b, const Tensor& g) {
          Apply(a, rate, g, "apply_a");
          Apply(b, other, g, "apply_b");
        }) == 0);
  CHECK(fused([&](const Variable& a, const Variable& b, const Tensor& g) {
          Apply(a, rate, g, "apply_a");
          ControlDependencies after({"apply_a"});
          Apply(b, rate, g + 1.f, "apply_b");
        }) == 0);
}

}  // namespace tandem
