#include "core/function_tracer.h"
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

// A counter loop: one node for the counter, one for the condition, the rest a chain that no pass shortens.
Graph LoopGraph(int nodes) {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2, 2}, "x"), y = Placeholder(kFloat32, {2, 2}, "y"), n = Placeholder(kInt32, Shape{}, "n");
  const Tensors vars = {Constant(0), x, y, n};
  const TracedFunctions traced = CurrentFunctionTracer()->Trace(
      {{.name = "cond", .like = vars, .function = [](const Tensors& v) -> Tensors { return {Less(v[0], v[3])}; }},
       {.name = "body", .like = vars, .function = [nodes](const Tensors& v) -> Tensors {
          Tensor t = v[1];
          for (int i = 0; i < nodes - 2; ++i) t = Add(t, v[2]);
          return {v[0] + 1, t, v[2], v[3]};
        }}});
  const std::vector<Shape> shapes;
  const Tensors out = RunMany(Op<"StatelessWhile">(), vars, {traced.functions[0].func, traced.functions[1].func, shapes, 10});
  Identity(out[1], "out");
  return graph;
}

// A hundred iterations of ten nodes, and a thousand nodes without a loop.
Measured LoopIteration() {
  const Graph loop = LoopGraph(10), chain = ChainGraph(1000);
  Session looping(loop, {.level = OptLevel::kO0}), straight(chain, {.level = OptLevel::kO0});
  const Callable ours = looping.MakeCallable({"x", "y", "n"}, {"out"}), theirs = straight.MakeCallable({"x", "y"}, {"out"});
  const Tensor feeds[] = {Small(), Small(), Tensor(100)};
  Tensor out;
  return Compare([&] { ours.Run(feeds, {&out, 1}); }, [&] { theirs.Run({feeds, 2}, {&out, 1}); });
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
      {"loop_iteration", "100 iterations of a While of 10 nodes / an executor chain of 1,000 nodes", 3, LoopIteration, true},
      {"callable_trivial", "a Callable of one op / its bare kernel", 20, TrivialCallable, true},
      {"run_trivial", "Session::Run of one op by name / its bare kernel", 50, TrivialRun},
  };
}

}  // namespace tandem::bench
