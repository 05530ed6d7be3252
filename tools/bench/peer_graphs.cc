#include <memory>

#include "tandem.h"
#include "tools/bench/peers.h"

namespace tandem::bench {
namespace {

// A callable of a graph with the placeholders x and c (float32[2]), nothing optimised; the Session lives with it.
struct Runner {
  Graph graph;
  std::shared_ptr<Session> session;
  Callable callable;
};
Runner Unoptimised(const std::function<Tensor(const Tensor& x, const Tensor& c)>& build) {
  Runner r;
  {
    GraphScope scope(r.graph);
    const Tensor x = Placeholder(kFloat32, {2}, "x"), c = Placeholder(kFloat32, {2}, "c");
    Identity(build(x, c), "y");
  }
  r.session = std::make_shared<Session>(r.graph, SessionOptions{.level = OptLevel::kO0});
  r.callable = r.session->MakeCallable({"x:0", "c:0"}, {"y:0"});
  return r;
}

// Blocks of ten nodes as the peers get them: two constants, two foldable ops, a duplicated pair, four live ops.
std::string Blocks(int nodes) {
  Graph graph;
  GraphScope scope(graph);
  Tensor x = Placeholder(kFloat32, {8}, "x");
  for (int block = 0; block < nodes / 10; ++block) {
    NameScope name("model/block_" + std::to_string(block));
    const Tensor one = Constant(Tensor(1.0f + static_cast<float>(block % 7)), "c1"), quarter = Constant(Tensor(0.25f), "c2");
    const Tensor folded = Mul(Add(one, quarter), quarter);
    const Tensor a = Mul(x, quarter), b = Mul(x, quarter);
    x = Identity(Relu(Maximum(Add(a, b), folded)), "id");
  }
  Identity(x, "out");
  return graph.Serialize();
}

std::vector<int> Sizes() { return std::getenv("PEER_BIG") ? std::vector{1000, 10000, 30000, 100000} : std::vector{1000, 10000, 30000}; }

}  // namespace

PeerItem ExecutorPeer() {
  return {"3", "an executor's cost a node, not optimised", "ns", [] {
            constexpr int kNodes = 1000;
            const Tensor zeros = Zeros({2}), ones = Ones({2});
            const Runner one = Unoptimised([](const Tensor& x, const Tensor& c) { return x + c; });
            const Runner chain = Unoptimised([](Tensor x, const Tensor& c) {
              for (int i = 0; i < kNodes; ++i) x = x + c;
              return x;
            });
            const Runner wide = Unoptimised([](const Tensor& x, const Tensor& c) {
              Tensors sums;
              for (int i = 0; i < kNodes; ++i) sums.push_back(x + Constant(Tensor({static_cast<float>(i), 1.0f})));
              return AddN(sums);
            });
            const auto call = [=](const Runner& r) { return [=] { Tensors y = r.callable({zeros, ones}); }; };
            return std::vector<PeerRow>{
                {"trivial 1-op run", "callable", 1, call(one)},
                {"trivial 1-op run", "Session::Run", 1, [=] { Tensor y = one.session->Run({{"x:0", zeros}, {"c:0", ones}}, "y:0"); }},
                {"chain 1000 add (2 floats)", "callable, O0", kNodes, call(chain)},
                {"wide 1000 add (2 floats)", "callable, O0", kNodes, call(wide)},
            };
          }};
}

PeerItem OptimiserPeer() {
  return {"7", "optimising graphs: load, optimise, plan", "ms", [] {
            std::vector<PeerRow> rows;
            for (int n : Sizes()) {
              const auto graph = std::make_shared<Graph>(Graph::Parse(Blocks(n)));
              rows.push_back({std::to_string(n) + " nodes", "a new Session's first Run", 1, [=] {
                                Session session(*graph);
                                Tensor y = session.Run({{"x:0", Ones({8})}}, "out:0");
                              }});
            }
            return rows;
          }};
}

PeerItem ImportPeer() {
  return {"8", "reading, validating and inferring a GraphDef", "ms", [] {
            std::vector<PeerRow> rows;
            for (int n : Sizes())
              rows.push_back({std::to_string(n) + " nodes", "Graph::Parse", 1, [bytes = Blocks(n)] { Graph graph = Graph::Parse(bytes); }});
            return rows;
          }};
}

}  // namespace tandem::bench
