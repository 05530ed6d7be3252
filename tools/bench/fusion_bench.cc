#include <cmath>

#include "core/parallel.h"
#include "kernels/vector/program.h"
#include "tandem.h"
#include "tools/bench/bench.h"
#include "tools/bench/hand_written.h"

namespace tandem::bench {
namespace {

constexpr int64_t kN = 1 << 20;

std::vector<float> Values(float scale) {
  std::vector<float> v(kN);
  for (int64_t i = 0; i < kN; ++i) v[i] = scale * static_cast<float>(i % 1009 - 504) / 100;
  return v;
}

// One Run of a graph of one fed vector, on one thread, against a loop that does the same.
template <class Build, class Hand>
Measured AgainstLoop(Build build, Hand hand) {
  SetNumThreads(1);
  const std::vector<float> values = Values(1);
  std::vector<float> out(kN);
  const Tensor x = values;
  Graph graph;
  Tensor y;
  {
    GraphScope scope(graph);
    y = build(Placeholder(kFloat32, {kN}, "x"));
  }
  Session session(graph, {.threads = 1});
  const Callable callable = session.MakeCallable({"x"}, {y});
  const Measured m = Compare(
      [&] {
        Tensor result;  // goes at once, as the hand-written loop's output is written again at once
        callable.Run({&x, 1}, {&result, 1});
      }, [&] { hand(values.data(), out.data(), kN); });
  SetNumThreads(0);
  return m;
}

Measured Chain() {
  return AgainstLoop(
      [](Tensor x) {
        x = x * 1.5 + 0.25;
        x = Maximum(x - 0.5, -1.) * x;
        return Minimum(x * 0.75 + 2., 100.);
      },
      HandChain);
}

Measured Gelu() {
  return AgainstLoop(
      [](const Tensor& x) { return 0.5 * x * (1. + Tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }, HandGelu);
}

// Compiling a 10-op program that nobody compiled before: a constant makes each one new.
Measured BuildCluster() {
  float constant = 1;
  const auto build = [&] {
    Program p;
    int v = p.Input(VecType::kF32);
    const int w = p.Input(VecType::kF32);
    constant += 0.001f;
    for (int i = 0; i < 5; ++i) v = p.Apply(VecOp::kAdd, {p.Apply(VecOp::kMul, {v, p.Constant(constant + i)}), w});
    p.Output(v);
    if (!Compile(p)) throw std::runtime_error("the benchmark itself failed");
  };
  const auto begin_wait = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < end) {}
  };
  return Compare(build, begin_wait, 5, 0.5);
}

}  // namespace

std::vector<Bench> FusionBenches() {
  return {
      {"fused_chain_1m", "8 elementwise ops in a Session, float32[1048576], one thread / hand-fused loop", 1.1, Chain},
      {"fused_gelu_1m", "GELU (tanh form) in a Session, one thread / hand-written Highway loop", 1.15, Gelu},
      {"fused_build", "code of a 10-op cluster / 200 us", 1.0, BuildCluster},
  };
}

}  // namespace tandem::bench
