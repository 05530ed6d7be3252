#include "core/kernel.h"
#include "tandem.h"
#include "tools/bench/bench.h"

namespace tandem::bench {
namespace {

const Tensor& Small() {
  static const Tensor t = {{1., 2.}, {3., 4.}};
  return t;
}
DenseFn AddKernel() { return GetCpuKernel(Op<"AddV2">()).dense[static_cast<int>(kFloat32)]; }

// A chain that no pass shortens: O0. Alternating additions with a fed vector.
Graph ChainGraph(int nodes) {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2, 2}, "x"), y = Placeholder(kFloat32, {2, 2}, "y");
  Tensor t = x;
  for (int i = 0; i < nodes; ++i) t = Add(t, y);
  Identity(t, "out");
  return graph;
}

Measured Chain1000() {
  const Graph graph = ChainGraph(1000);
  Session session(graph, {.level = OptLevel::kO0});
  const Callable callable = session.MakeCallable({"x", "y"}, {"out"});
  const Tensor feeds[] = {Small(), Small()};
  Tensor out;
  const DenseFn add = AddKernel();
  std::vector<DenseFn> kernels(1000, add);
  alignas(64) float buffers[2][4] = {};
  return Compare([&] { callable.Run(feeds, {&out, 1}); },
                 [&] {
                   const void* from = Small().rep()->data;
                   for (int i = 0; i < 1000; ++i) {
                     kernels[i](from, Small().rep()->data, buffers[i & 1], 4);
                     from = buffers[i & 1];
                   }
                 });
}

Measured TrivialCallable() {
  const Graph graph = ChainGraph(1);
  Session session(graph);
  const Callable callable = session.MakeCallable({"x", "y"}, {"out"});
  const Tensor feeds[] = {Small(), Small()};
  Tensor out;
  const DenseFn add = AddKernel();
  alignas(64) float buffer[4];
  return Compare([&] { callable.Run(feeds, {&out, 1}); }, [&] { add(Small().rep()->data, Small().rep()->data, buffer, 4); });
}

Measured TrivialRun() {
  const Graph graph = ChainGraph(1);
  Session session(graph);
  const DenseFn add = AddKernel();
  alignas(64) float buffer[4];
  return Compare([&] { Tensor out = session.Run({{"x", Small()}, {"y", Small()}}, "out"); },
                 [&] { add(Small().rep()->data, Small().rep()->data, buffer, 4); });
}

}  // namespace

std::vector<Bench> SessionBenches() {
  return {
      {"executor_chain_1000", "1,000 additions of float32[2,2], O0 / the same kernels through an array of pointers", 4, Chain1000},
      {"callable_trivial", "a Callable of one op / its bare kernel", 20, TrivialCallable, true},
      {"run_trivial", "Session::Run of one op by name / its bare kernel", 50, TrivialRun},
  };
}

}  // namespace tandem::bench
