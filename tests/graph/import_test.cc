#include "graph/import.h"

#include <catch2/catch.hpp>

#include "google/protobuf/text_format.h"
#include "graph/graph.h"
#include "graph/graph_state.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"
#include "tandem.h"

namespace tandem {
namespace {

constexpr char kX[] = "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } ";

std::string Binary(const std::string& text) {
  proto::GraphDef m;
  INFO(text);
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &m));
  return m.SerializeAsString();
}
// "y" of an op over inputs, with T = float.
std::string Y(const std::string& op, const std::vector<std::string>& inputs, const std::string& more = "", const std::string& name = "y") {
  std::string text = "node { name: '" + name + "' op: '" + op + "' attr { key: 'T' value { type: DT_FLOAT } } ";
  for (const std::string& input : inputs) text += "input: '" + input + "' ";
  return text + more + "} ";
}
absl::Status Import(const std::string& text) {
  Graph graph;
  const absl::Status status = ImportGraph(Binary(text), {}, graph.state());
  if (!status.ok()) CHECK(graph.num_nodes() == 0);  // nothing half built
  return status;
}

struct Wrong {
  std::string text;
  absl::StatusCode code;
  std::string message;
};

}  // namespace

TEST_CASE("wrong graphs are refused with the node and what is wrong") {
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  const Wrong kWrong[] = {
      {kX + Y("Identity", {"x"}) + Y("Identity", {"x"}), kInvalid, "two nodes have the name \"y\"; node \"y\""},
      {Y("Identity", {"y"}), kInvalid, "the graph has a cycle: \"y\" <- \"y\""},
      {Y("Identity", {"b"}, "", "a") + Y("Identity", {"a"}, "", "b"), kInvalid, "the graph has a cycle: \"a\" <- \"b\" <- \"a\""},
      {kX + Y("Identity", {"x", "^y"}), kInvalid, "the graph has a cycle: \"y\" <- \"y\""},
      {Y("Identity", {"ghost"}), kInvalid, "Identity: input \"ghost\" is of a node that is not there; node \"y\""},
      {kX + Y("Identity", {"x", "^ghost"}), kInvalid, "Identity: input \"^ghost\" is of a node that is not there; node \"y\""},
      {kX + Y("Identity", {"x:3"}), kInvalid, "Identity: input \"x:3\": node \"x\" (Placeholder) has 1 output; node \"y\""},
      {kX + Y("Identity", {"x:-1"}), kInvalid, "Identity: input \"x:-1\" has no output number after the colon; node \"y\""},
      {kX + Y("Identity", {"x:99999999999"}), kInvalid, "Identity: input \"x:99999999999\" has no output number after the colon; node \"y\""},
      {kX + Y("Identity", {""}), kInvalid, "Identity: input \"\" is of a node that is not there; node \"y\""},
      {kX + Y("AddV2", {"^x", "x", "x"}), kInvalid, "AddV2: input \"x\" stands after a control input; node \"y\""},
      {kX + Y("AddV2", {"x"}), kInvalid, "AddV2: takes 2 inputs, got 1; inputs \"x:0\"; node \"y\""},
      {kX + Y("AddV2", {}), kInvalid, "AddV2: takes 2 inputs, got 0; node \"y\""},
      {kX + Y("AddV2", {"x", "x", "x"}), kInvalid, "AddV2: takes 2 inputs, got 3; inputs \"x:0\", \"x:0\", \"x:0\"; node \"y\""},
      {kX + Y("Frobnicate", {"x"}), absl::StatusCode::kNotFound, "there is no op \"Frobnicate\"; node \"y\""},
      {kX + Y("", {"x"}), kInvalid, "the node has no op; node \"y\""},
      {Y("Identity", {"x"}, "", "_x"), kInvalid, "node 0 is named \"_x\", which is no name for a node"},
      {Y("Identity", {"x"}, "", ""), kInvalid, "node 0 is named \"\", which is no name for a node"},
      {Y("Identity", {"x"}, "", "a/b:0"), kInvalid, "node 0 is named \"a/b:0\", which is no name for a node"},
      {"node { name: 'x' op: 'Placeholder' }", kInvalid, "Placeholder: attribute dtype is missing and has no default; node \"x\""},
      {kX + std::string("node { name: 'y' op: 'Identity' input: 'x' }"), kInvalid, "Identity: attribute T is missing and has no default; node \"y\""},
      {kX + std::string("node { name: 'y' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_INT64 } } }"), kInvalid,
       "Identity: attribute T is int64, input is float32; inputs \"x:0\"; node \"y\""},
      {kX + std::string("node { name: 'y' op: 'Identity' input: 'x' attr { key: 'T' value { s: 'f' } } }"), kInvalid,
       "Identity: attribute T is string, must be type; node \"y\""},
      {"node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape { dim { size: -3 } } } } }", kInvalid,
       "Placeholder: attribute shape a shape with dimension -3, must be at least 0, or -1 for unknown; node \"x\""},
      {kX + Y("Identity", {"x"}, "device: 'banana'"), kInvalid, "Identity: \"banana\" names no device; \"/cpu:0\" does; node \"y\""},
      {kX + Y("Identity", {"x"}, "attr { key: '_class' value { list { s: 'loc:@ghost' } } }"), kInvalid,
       "Identity: attribute _class places it with \"ghost\", which is not there; node \"y\""},
      {"versions { producer: 99999 min_consumer: 99999 }", kInvalid, "the graph needs a reader of version 99999 or newer, this is 2474"},
      {"versions { producer: 2474 bad_consumers: 2474 }", kInvalid, "the graph refuses readers of version 2474, which this is"},
      {"node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
       "tensor_shape { dim { size: 10 } } tensor_content: 'abc' } } } }", kInvalid,
       "Const: attribute value tensor: float32[10] needs 40 bytes, tensor_content has 3; node \"c\""},
      {"library { function { signature { name: 'f' output_arg { name: 'y' type: DT_FLOAT } } ret { key: 'y' value: 'ghost:y:0' } } }", kInvalid,
       "function \"f\": it returns \"ghost:y:0\", which it does not have"},
      {"library { function { signature { name: 'f' input_arg { name: 'x' type_attr: 'T' } attr { name: 'T' type: 'type' } } } } node { name: 'y' op: 'f' }",
       absl::StatusCode::kUnimplemented, "function \"f\" is generic: the type of x is an attribute; node \"y\""},
      {"library { function { signature { name: '' } } }", absl::StatusCode::kInvalidArgument, "the library has a function without a name"},
      {"library { function { signature { name: 'f' } ret { key: 'y' value: 'x' } } }", absl::StatusCode::kInvalidArgument,
       "function \"f\" returns \"y\", which is no output of its signature"},
      {"library { function { signature { name: 'f' } node_def { name: 'n' } } }", absl::StatusCode::kInvalidArgument, "function \"f\": node \"n\" has no op"},
      {"library { function { signature { name: 'f' input_arg { name: 'x' } } } }", absl::StatusCode::kInvalidArgument,
       "function \"f\": argument x has no dtype that is here (0)"},
      {"library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } } node_def { name: 'x' op: 'NoOp' } } }",
       absl::StatusCode::kInvalidArgument, "function \"f\": two nodes have the name \"x\""},
      {"library { function { signature { name: 'f' control_output: 'c' } control_ret { key: 'c' value: 'gone' } } }", absl::StatusCode::kInvalidArgument,
       "function \"f\": control output c is \"gone\", which it does not have"},
      {"library { gradient { function_name: 'f' gradient_func: 'g' } }", absl::StatusCode::kNotFound,
       "the library has a gradient of \"f\", but no function \"f\""},
      {"library { function { signature { name: 'f' output_arg { name: 'y' type: DT_FLOAT } } } }", absl::StatusCode::kInvalidArgument,
       "function \"f\" does not say what it returns as y"},
      {"library { function { signature { name: 'f' output_arg { name: 'y' type: DT_FLOAT } } ret { key: 'y' value: 'n' } "
       "node_def { name: 'n' op: 'NoOp' } } }", absl::StatusCode::kInvalidArgument,
       "function \"f\": it returns \"n\": in a function an input reads \"n:OUTPUT:number\" (as y)"},
      {"library { function { signature { name: 'f' input_arg { name: 'x' type: DT_INT32 } output_arg { name: 'y' type: DT_FLOAT } } "
       "ret { key: 'y' value: 'x' } } }", absl::StatusCode::kInvalidArgument, "function \"f\": result y is int32, the signature says float32"},
      {"library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } "
       "node_def { name: 'n' op: 'Neg' input: 'x:1' attr { key: 'T' value { type: DT_FLOAT } } } ret { key: 'y' value: 'n:y:0' } } }",
       absl::StatusCode::kInvalidArgument, "function \"f\": Neg: input \"x:1\": an argument is one tensor; node \"n\""},
      {"library { function { signature { name: 'f' } } } node { name: 'y' op: 'PartitionedCall' attr { key: 'f' value { func { name: 'g' } } } "
       "attr { key: 'Tin' value { list { } } } attr { key: 'Tout' value { list { } } } }",
       absl::StatusCode::kNotFound, "PartitionedCall: f: there is no function \"g\"; node \"y\""},
  };
  for (const Wrong& wrong : kWrong) {
    const absl::Status status = Import(wrong.text);
    CHECK(status.code() == wrong.code);
    CHECK(std::string(status.message()) == wrong.message);
  }
}

TEST_CASE("an unsupported cycle of loop ops says which op is missing") {
  CHECK(Import(Y("Merge", {"n"}, "", "m") + Y("NextIteration", {"m"}, "", "n")).code() == absl::StatusCode::kNotFound);
}

TEST_CASE("nodes may stand in any order, and one tensor may be read twice") {
  const Graph graph = Graph::Parse(Binary(Y("AddV2", {"z", "z"}) + Y("Identity", {"x"}, "", "z") + kX));
  CHECK(graph.num_nodes() == 3);
  CHECK(graph.Find("y").dtype() == kFloat32);
}

TEST_CASE("names that differ in case only are two nodes") {
  CHECK(Graph::Parse(Binary(kX + Y("Identity", {"x"}, "", "Mul") + Y("Identity", {"x"}, "", "mul"))).num_nodes() == 3);
}

TEST_CASE("unknown attributes, private ones, devices and functions survive a round trip") {
  const std::string text = kX + Y("Identity", {"x"}, "device: '/job:localhost/replica:0/task:0/device:GPU:0' attr { key: '_my_note' value { s: 'hi' } } "
                                  "attr { key: 'message' value { s: 'new' } } experimental_debug_info { original_node_names: 'o' }") +
                           "library { function { signature { name: 'f' } } } versions { producer: 1 bad_consumers: 7 } debug_info { files: 'a.py' }";
  const std::string bytes = Graph::Parse(Binary(text)).Serialize();
  proto::GraphDef back;
  REQUIRE(back.ParseFromString(bytes));
  CHECK(back.node(1).attr().at("_my_note").s() == "hi");
  CHECK(back.node(1).attr().at("message").s() == "new");
  CHECK(back.node(1).device() == "/job:localhost/replica:0/task:0/device:GPU:0");
  CHECK(back.node(1).experimental_debug_info().original_node_names(0) == "o");
  CHECK(back.library().function(0).signature().name() == "f");
  CHECK(back.versions().producer() == 1);
  CHECK(back.versions().bad_consumers(0) == 7);
  CHECK(back.debug_info().files(0) == "a.py");
  CHECK(Graph::Parse(bytes).Serialize() == bytes);  // deterministic, and a fixed point
}

TEST_CASE("defaults are filled in and written out") {
  const std::string bytes = Graph::Parse(Binary(kX + Y("MatMul", {"x", "x"}))).Serialize();
  proto::GraphDef back;
  REQUIRE(back.ParseFromString(bytes));
  CHECK(back.node(1).attr().at("transpose_a").b() == false);
  CHECK(back.node(1).attr().at("T").type() == proto::DT_FLOAT);
}

TEST_CASE("text and MetaGraphDefs are told apart by content") {
  proto::MetaGraphDef meta;
  meta.mutable_meta_info_def()->set_tensorflow_version("2.21");
  *meta.mutable_meta_info_def()->mutable_tags()->Add() = "serve";
  REQUIRE(google::protobuf::TextFormat::ParseFromString(kX + Y("Identity", {"x"}), meta.mutable_graph_def()));
  std::string meta_text, text;
  google::protobuf::TextFormat::PrintToString(meta, &meta_text);
  google::protobuf::TextFormat::PrintToString(meta.graph_def(), &text);
  for (const std::string& bytes : {meta.SerializeAsString(), meta_text, text, meta.graph_def().SerializeAsString()}) {
    const Graph graph = Graph::Parse(bytes);
    CHECK(graph.num_nodes() == 2);
  }
  const Graph graph = Graph::Parse(meta.SerializeAsString());
  REQUIRE(graph.state().meta);
  CHECK(graph.state().meta->meta_info_def().tags(0) == "serve");
  CHECK(Graph::Parse("").num_nodes() == 0);
}

TEST_CASE("bytes that are no graph are data loss, wherever they are cut") {
  const std::string bytes = Binary(kX + Y("AddV2", {"x", "x"}));
  int loaded = 0;
  for (size_t n = 0; n < bytes.size(); ++n) {
    Graph graph;
    const absl::Status status = ImportGraph(bytes.substr(0, n), {}, graph.state());
    loaded += status.ok();
    if (!status.ok()) CHECK(graph.num_nodes() == 0);
  }
  CHECK(loaded == 2);  // nothing, and the first node alone
  Graph graph;
  CHECK(ImportGraph("\x89PNG\r\n\x1a\n", {}, graph.state()).code() == absl::StatusCode::kDataLoss);
  CHECK(ImportGraph("node { name: }", {}, graph.state()).message() == "no graph in text form: line 1, column 14: Expected string, got: }");
}

TEST_CASE("flipped bytes never do worse than an error") {
  const std::string bytes = Binary(kX + Y("MatMul", {"x", "x"}) + Y("Identity", {"y"}, "device: '/cpu:0'", "z"));
  uint32_t random = 1;
  for (int i = 0; i < 1000; ++i) {
    std::string changed = bytes;
    random = random * 1664525 + 1013904223;
    changed[random % changed.size()] ^= static_cast<char>(1 << (random >> 28 & 7));
    Graph graph;
    const absl::Status status = ImportGraph(changed, {}, graph.state());
    CHECK((status.ok() || graph.num_nodes() == 0));
  }
}

TEST_CASE("importing into a graph takes a prefix and never merges") {
  const std::string bytes = Binary(kX + Y("Identity", {"x"}, "attr { key: '_class' value { list { s: 'loc:@x' } } }"));
  Graph graph = Graph::Parse(bytes);
  CHECK_THROWS_AS(graph.Import(bytes), Error);
  CHECK(graph.num_nodes() == 2);
  {
    DeviceScope device("/cpu:0");
    graph.Import(bytes, "tower");
  }
  CHECK(graph.node_names() == std::vector<std::string>{"x", "y", "tower/x", "tower/y"});
  const NodeGraph& nodes = graph.state().nodes;
  CHECK(nodes.node(3).inputs[0].node == 2);
  CHECK(nodes.node(3).device() == "/cpu:0");
  CHECK(nodes.node(3).extra->other_attrs[0].second.find("loc:@tower/x") != std::string::npos);
  CHECK_THROWS_AS(graph.Import(bytes, "tower"), Error);
  CHECK_THROWS_AS(graph.Import(bytes, "not good"), Error);
  CHECK(graph.num_nodes() == 4);
}

TEST_CASE("a chain of a hundred thousand nodes loads, saves and goes") {
  proto::GraphDef m;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(kX, &m));
  for (int i = 0; i < 100000; ++i) {
    auto* node = m.add_node();
    node->set_name("n" + std::to_string(i));
    node->set_op("Identity");
    node->add_input(i ? "n" + std::to_string(i - 1) : "x");
    (*node->mutable_attr())["T"].set_type(proto::DT_FLOAT);
  }
  const Graph graph = Graph::Parse(m.SerializeAsString());
  CHECK(graph.num_nodes() == 100001);
  CHECK(Graph::Parse(graph.Serialize()).num_nodes() == 100001);
}

}  // namespace tandem
