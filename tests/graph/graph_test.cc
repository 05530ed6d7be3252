#include "graph/graph.h"

#include <catch2/catch.hpp>

#include "core/context.h"
#include "graph/graph_state.h"
#include "tandem.h"

namespace tandem {
namespace {

// The error that fn throws.
template <class F>
Error Thrown(F fn) {
  try {
    fn();
  } catch (const Error& e) {
    return e;
  }
  return Error(Code::kOk, "nothing was thrown");
}

const Node& NodeOf(const Graph& graph, std::string_view name) {
  return graph.state().nodes.node(*graph.state().FindNode(name));
}

}  // namespace

TEST_CASE("ops under a GraphScope become nodes, with what is known of their shapes") {
  Graph graph;
  {
    GraphScope scope(graph);
    CHECK(!ExecutingEagerly());
    const Tensor x = Placeholder(kFloat32, {-1, 2}, "x");
    const Tensor y = MatMul(x, Tensor({{1.f}, {2.f}}) * 2);
    CHECK(y.symbolic());
    CHECK(y.shape() == Shape{-1, 1});
    CHECK_THROWS_AS(y.data<float>(), Error);
  }
  CHECK(ExecutingEagerly());
}

TEST_CASE("recorded shapes, dtypes and names") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {-1, 3}, "x");
  const Tensor w = Placeholder(kFloat32, {3, 5}, "w");
  const Tensor y = Identity(MatMul(x, w), "y");
  CHECK(y.shape() == Shape{-1, 5});
  CHECK(y.dtype() == kFloat32);
  CHECK(graph.node_names() == std::vector<std::string>{"x", "w", "MatMul", "y"});
  CHECK(GraphOf(y)->TensorName(y.rep()->symbol().node, 0) == "y:0");
  CHECK(graph.Find("MatMul").shape() == Shape{-1, 5});
  CHECK(graph.Find("MatMul:0").dtype() == kFloat32);
}

TEST_CASE("names are made unique whatever their case") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {}, "x");
  Identity(x, "Mul");
  Identity(x, "mul");
  Identity(x, "Mul");
  Identity(x, "mul_1");
  Identity(x);
  Identity(x);
  CHECK(graph.node_names() == std::vector<std::string>{"x", "Mul", "mul_1", "Mul_2", "mul_1_1", "Identity", "Identity_1"});
}

TEST_CASE("an inference error has the eager text and the node's name, and leaves the graph as it was") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor a = Placeholder(kFloat32, {2, 3}, "a"), b = Placeholder(kFloat32, {4, 5}, "b");
  const Error e = Thrown([&] { MatMul(a, b); });
  CHECK(e.code() == Code::kInvalidArgument);
  CHECK(e.message() == "MatMul: inner dimensions differ: a is [2,3] (dim 1 = 3), b is [4,5] (dim 0 = 4); node \"MatMul\"");
  CHECK(e.node() == "MatMul");
  CHECK(graph.num_nodes() == 2);
}

TEST_CASE("an eager tensor becomes one Const, however often it is read") {
  Graph graph;
  const Tensor c = {1.f, 2.f};
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2}, "x");
  const Tensor y = x * c + c;
  CHECK(graph.node_names() == std::vector<std::string>{"x", "Const", "Mul", "AddV2"});
}

TEST_CASE("an eager variable is captured once, with its storage") {
  Variable v({1., 2.}, {.name = "v"});
  Graph graph;
  GraphScope scope(graph);
  const Tensor y = v * v;
  const Node& handle = NodeOf(graph, "v");
  CHECK(handle.op == Op<"VarHandleOp">());
  REQUIRE(handle.extra);
  CHECK(handle.extra->captured.rep() == v.handle().rep());
  CHECK(y.shape() == Shape{2});
  int handles = 0;
  for (const Node& node : graph.state().nodes.nodes()) handles += node.op == Op<"VarHandleOp">();
  CHECK(handles == 1);
}

TEST_CASE("variables made in a graph have names of their own and an initializer") {
  Graph graph;
  GraphScope scope(graph);
  Variable a(Tensor(1.f), {.name = "w"}), b(Tensor(2.f), {.name = "w"});
  CHECK(NodeOf(graph, "w_1").attr("shared_name").get<std::string_view>() == "w_1");
  const std::string init = graph.Initializer();
  const Node& node = NodeOf(graph, init);
  CHECK(node.op == Op<"NoOp">());
  CHECK(node.controls.size() == 2);
}

TEST_CASE("name scopes, control dependencies and devices hold inside their block") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {}, "x");
  NoOp("first");
  {
    NameScope outer("encoder");
    NameScope inner("layer/0");
    ControlDependencies after({x, "first"});
    DeviceScope device("/cpu:0");
    Identity(x, "y");
    {
      ControlDependencies none({});
      Identity(x, "z");
    }
  }
  Identity(x, "plain");
  const Node& y = NodeOf(graph, "encoder/layer/0/y");
  CHECK(y.controls.size() == 2);
  CHECK(y.device() == "/cpu:0");
  CHECK(NodeOf(graph, "encoder/layer/0/z").controls.empty());
  CHECK(NodeOf(graph, "plain").device().empty());
  CHECK(NodeOf(graph, "plain").controls.empty());
}

TEST_CASE("scopes do not reach into another graph") {
  Graph one, two;
  GraphScope first(one);
  const Tensor x = Placeholder(kFloat32, {}, "x");
  NameScope names("a");
  ControlDependencies after({x});
  {
    GraphScope second(two);
    Placeholder(kFloat32, {}, "y");
  }
  CHECK(two.node_names() == std::vector<std::string>{"y"});
  CHECK(NodeOf(two, "y").controls.empty());
}

TEST_CASE("bad names, devices and dependencies are refused") {
  CHECK(Thrown([] { NameScope s("not a name"); }).code() == Code::kInvalidArgument);
  CHECK(Thrown([] { NameScope s(""); }).code() == Code::kInvalidArgument);
  CHECK(Thrown([] { DeviceScope s("banana"); }).message() == "DeviceScope: \"banana\" names no device; \"/cpu:0\" does");
  CHECK(Thrown([] { ControlDependencies s({Tensor()}); }).code() == Code::kInvalidArgument);
  for (const char* good : {"", "/cpu:0", "/gpu:0", "CPU:0", "/device:gpu:0", "/job:localhost/replica:0/task:0/device:GPU:0", "/device:CPU:*", "/job:worker"})
    CHECK(IsDeviceName(good));
  for (const char* bad : {"cpu", "/cpu", "/cpu:x", "/job:", "/device:", "/task:a", "cpu:0/"}) CHECK(!IsDeviceName(bad));
  for (const char* good : {"a", "a/b", "a//b", "a/", ".a", "a>b", "a-b_c.d/0"}) CHECK(IsNodeName(good));
  for (const char* bad : {"", "_x", "^a", "a/b:0", "a b", "a>", ">a", "-a", "/a"}) CHECK(!IsNodeName(bad));
  CHECK(ExecutingEagerly());
}

TEST_CASE("tensors of two graphs do not mix") {
  Graph one, two;
  Tensor x;
  {
    GraphScope scope(one);
    x = Placeholder(kFloat32, {}, "x");
  }
  GraphScope scope(two);
  CHECK(Thrown([&] { x + 1; }).message() == "AddV2: x is \"x:0\" of another graph");
}

TEST_CASE("a finalized graph takes no node") {
  Graph graph;
  graph.Finalize();
  GraphScope scope(graph);
  const Error e = Thrown([] { Placeholder(kFloat32, {}, "x"); });
  CHECK(e.code() == Code::kFailedPrecondition);
  CHECK(e.message() == "Placeholder: the graph is finalized, no node can be added");
}

TEST_CASE("names that are not there name close ones") {
  Graph graph;
  {
    GraphScope scope(graph);
    NameScope names("dense");
    Placeholder(kFloat32, {}, "kernel");
  }
  CHECK(Thrown([&] { graph.Find("kernel:0"); }).message() == "the graph has no node \"kernel\"; close: \"dense/kernel\"");
  CHECK(Thrown([&] { graph.Find("dense/kernal"); }).message() == "the graph has no node \"dense/kernal\"; close: \"dense/kernel\"");
  CHECK(Thrown([&] { graph.Find("dense/kernel:1"); }).message() == "\"dense/kernel:1\": node \"dense/kernel\" (Placeholder) has 1 output");
  CHECK(Thrown([&] { graph.Find("dense/kernel:zero"); }).code() == Code::kInvalidArgument);
}

TEST_CASE("a graph goes with its last handle, custom derivatives and all") {
  ResourceBase* state;
  {
    Graph graph;
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {}, "x");
    Tensors y = {x * x};
    ThrowIfError(CurrentContext().RecordCustom("square", {x}, y, [x](const Tensors& dy) { return Tensors{dy[0] * x}; }, Origin()));
    CHECK(NodeOf(graph, "square").op == Op<"IdentityN">());
    state = &graph.state();
    state->Ref();
  }
  CHECK(state->refs() == 1);
  state->Unref();
}

}  // namespace tandem
