#include <pthread.h>

#include "graph/graph_state.h"
#include "graph/passes/optimizer.h"
#include "proto/graph.pb.h"
#include "tandem.h"
#include "tools/bench/bench.h"

namespace tandem::bench {
namespace {

// Blocks of ten nodes: two constants, two foldable ops, a duplicated pair, four live ops. Serialized.
std::string Blocks(int nodes) {
  Graph graph;
  GraphScope scope(graph);
  Tensor x = Placeholder(kFloat32, {16}, "x");
  std::vector<float> values(16, 0.5f);
  for (int block = 0; block < nodes / 10; ++block) {
    values[0] = 1.0f + static_cast<float>(block);  // no two blocks fold to the same constant
    const Tensor a = values, b = values;
    const Tensor c = Mul(Add(a, b), b);
    const Tensor one = Mul(x, c), two = Mul(x, c);
    x = Maximum(Sub(Add(one, two), c), x);
  }
  Identity(x, "out");
  return graph.Serialize();
}

const std::string& Bytes(int nodes) {
  static const std::string small = Blocks(10000), large = Blocks(100000);
  return nodes == 10000 ? small : large;
}

void Parse(const std::string& bytes) {
  proto::GraphDef def;
  if (!def.ParseFromString(bytes)) throw std::runtime_error("the benchmark itself failed");
}

struct Loaded {
  NodeGraph graph;
  GraphRoots roots;
};
Loaded Load(int nodes) {
  const Graph graph = Graph::Parse(Bytes(nodes));
  const GraphState& state = graph.state();
  Loaded loaded{state.nodes, {}};
  loaded.roots.feeds = {*state.FindNode("x")};
  loaded.roots.fetches = {{*state.FindNode("out"), 0}};
  return loaded;
}

// The copy that each optimisation starts from is timed apart and taken off.
Measured OptimiseAgainst(int nodes, const std::function<void()>& reference) {
  const Loaded loaded = Load(nodes);
  const auto copy = [&] { return Loaded(loaded); };
  const auto optimise = [&] {
    Loaded work = copy();
    if (!Optimize(work.graph, work.roots, {}, nullptr).ok()) throw std::runtime_error("the benchmark itself failed");
  };
  const Measured both = Compare(optimise, reference, 5, 1);
  const Measured copying = Compare([&] { Loaded work = copy(); }, [] {}, 5, 1);
  return {both.ns - copying.ns, both.reference_ns, both.allocations};
}

Measured Optimise100k() {
  return OptimiseAgainst(100000, [] { Parse(Bytes(100000)); });
}
Measured OptimiseGrowth() {
  const Loaded small = Load(10000);
  return OptimiseAgainst(100000, [&] {
    Loaded work = small;
    if (!Optimize(work.graph, work.roots, {}, nullptr).ok()) throw std::runtime_error("the benchmark itself failed");
  });
}
Measured Import100k() {
  return Compare([] { Graph::Parse(Bytes(100000)); }, [] { Parse(Bytes(100000)); }, 5, 1);
}

// A chain of a million nodes loads, is optimised, runs and is freed on a stack of 512 kB; against its parse.
Measured DeepChain() {
  std::string bytes;
  {
    Graph graph;
    GraphScope scope(graph);
    Tensor x = Placeholder(kFloat32, {2}, "x");
    for (int i = 0; i < 1000000; ++i) x = Neg(x);
    Identity(x, "out");
    bytes = graph.Serialize();
  }
  const auto run = [](void* argument) -> void* {
    const auto& text = *static_cast<const std::string*>(argument);
    const Graph graph = Graph::Parse(text);
    Session session(graph);
    const Tensor y = session.Run({{"x", Tensor({1., 2.})}}, "out");
    return y.ToVector<float>()[1] == 2.0f ? argument : nullptr;
  };
  return Compare(
      [&] {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 512 << 10);
        pthread_t thread;
        void* result = nullptr;
        if (pthread_create(&thread, &attributes, run, &bytes) == 0) pthread_join(thread, &result);
        if (!result) throw std::runtime_error("the benchmark itself failed");
      },
      [&] { Parse(bytes); }, 1, 1);
}

}  // namespace

std::vector<Bench> GraphBenches() {
  return {
      {"optimise_100k", "100,000 nodes, half duplicates, a third foldable / protobuf's parse of the file", 8, Optimise100k},
      {"optimise_growth", "100,000 nodes / 10,000 nodes", 12, OptimiseGrowth},
      {"import_100k", "import with validation and inference / protobuf's parse", 3, Import100k},
      {"deep_chain_1m", "a chain of a million nodes loads, optimises, runs and goes on a 512 kB stack / its parse", 60, DeepChain},
  };
}

}  // namespace tandem::bench
