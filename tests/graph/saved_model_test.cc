#include "graph/saved_model.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/bundle/output_file.h"
#include "core/context.h"
#include "proto/saved_model.pb.h"
#include "tests/compare.h"
#include "tests/temporary.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

// y = x w + b, where w and b are eager variables.
struct Line {
  Variable w{{{1., 2.}, {3., 4.}}, {.name = "w"}}, b{{10., 20.}, {.name = "layer/b"}};
  Graph graph;
  Tensor x, y;
  Line() {
    const GraphScope scope(graph);
    x = Placeholder(kFloat32, {-1, 2}, "x");
    y = Identity(MatMul(x, w) + b, "y");
  }
  SaveModelOptions Options() const { return {.signatures = {{"serving_default", {{{"in", x}}, {{"out", y}}}}}}; }
};

}  // namespace

TEST_CASE("a model with eager variables is saved, loaded and run") {
  const TemporaryFolder folder;
  Line line;
  const int nodes = line.graph.num_nodes();
  SaveModel(folder / "deep/model", line.graph, line.Options());
  CHECK(line.graph.num_nodes() == nodes);
  line.w.Assign(Zeros({2, 2}));  // a loaded model has variables of its own
  LoadedModel model = LoadModel(folder / "deep/model");
  CHECK(model.Run({{"in", Tensor({{1., 1.}})}})["out"].ToString() == "[[14. 26.]]");
  REQUIRE(model.signatures().size() == 1);
  CHECK(model.signatures()[0].inputs[0].tensor == "x:0");
  CHECK(model.signatures()[0].inputs[0].shape == Shape{-1, 2});
  CHECK(std::filesystem::exists(folder / "deep/model/variables/variables.index"));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "deep")) CHECK(entry.path().filename() == "model");
}

TEST_CASE("variables of a Session, several signatures, tags") {
  const TemporaryFolder folder;
  Graph graph;
  std::string initializer;
  SaveModelOptions options = {.tags = {"serve", "small"}};
  {
    const GraphScope scope(graph);
    Variable v({1., 2.}, {.name = "v"});
    const Tensor x = Placeholder(kFloat32, {2}, "x");
    options.signatures["add"] = {{{"x", x}}, {{"sum", Identity(x + v, "sum")}}};
    options.signatures["value"] = {{}, {{"v", "v/Read:0"}}};
    Identity(v, "v/Read");
    Identity(v.AssignAdd({1., 1.}), "more");
    initializer = graph.Initializer();
  }
  CHECK(Thrown([&] { SaveModel(folder / "m", graph, options); }) ==
        "FAILED_PRECONDITION SaveModel: variable \"v\" was made in the graph: SaveModelOptions::session, which holds its value, is missing");
  Session session(graph);
  session.Run({}, {}, {initializer});
  session.Run({}, "more:0");
  options.session = &session;
  SaveModel(folder / "m", graph, options);

  LoadedModel model = LoadModel(folder / "m", {.tags = {"small", "serve"}, .session = {.level = OptLevel::kO0}});
  CHECK(model.Run({}, "value")["v"].ToString() == "[2. 3.]");
  CHECK(model.Run({{"x", Tensor({1., 1.})}}, "add")["sum"].ToString() == "[3. 4.]");
  CHECK(Thrown([&] { model.Run({}); }) == "NOT_FOUND there is no signature \"serving_default\"; there are: add, value");
  CHECK(Thrown([&] { model.Run({}, "add"); }) == "INVALID_ARGUMENT signature \"add\" needs the input \"x\": float32[2]");
  CHECK(Thrown([&] { model.Run({{"y", Tensor(1.)}}, "add"); }) == "INVALID_ARGUMENT signature \"add\" has no input \"y\", only: x");
  CHECK(Thrown([&] { LoadModel(folder / "m"); }) == "NOT_FOUND " + folder / "m: has no graph with the tags {serve}, only {serve,small}");
}

TEST_CASE("an op that is not here is in the way only where serving needs it") {
  const TemporaryFolder folder;
  Line line;
  SaveModel(folder / "m", line.graph, line.Options());
  proto::SavedModel saved;
  REQUIRE(saved.ParseFromString(*ReadWholeFile(folder / "m/saved_model.pb")));
  auto* node = saved.mutable_meta_graphs(0)->mutable_graph_def()->add_node();
  node->set_name("alien");
  node->set_op("NotAnOpOfThisWorld");
  node->add_input("y");
  std::ofstream(folder / "m/saved_model.pb", std::ios::binary) << saved.SerializeAsString();
  CHECK(LoadModel(folder / "m").Run({{"in", Tensor({{1., 1.}})}})["out"].ToString() == "[[14. 26.]]");
  (*(*saved.mutable_meta_graphs(0)->mutable_signature_def())["serving_default"].mutable_outputs())["out"].set_name("alien:0");
  std::ofstream(folder / "m/saved_model.pb", std::ios::binary) << saved.SerializeAsString();
  CHECK(Thrown([&] { LoadModel(folder / "m"); }).starts_with("NOT_FOUND " + folder / "m: "));
}

TEST_CASE("assets and an initializer") {
  const TemporaryFolder folder;
  std::ofstream(folder / "words.txt") << "one\ntwo\n";
  Graph graph;
  SaveModelOptions options;
  {
    const GraphScope scope(graph);
    Variable file(Tensor(""), {.name = "file", .trainable = false});
    const Tensor path = Placeholder(kString, {}, "path");
    const Tensor assigned = file.Assign(path);
    const ControlDependencies after({assigned});
    NoOp("setup");
    options.assets = {{path, folder / "words.txt"}};
    options.init_op = "setup";
  }
  {
    const GraphScope scope(graph);
    options.signatures["file"] = {{}, {{"path", "file/Read"}}};
    Identity(graph.Find("file"), "unused");
    RunMany(Op<"ReadVariableOp">(), std::vector{graph.Find("file")}, {kString}, {}, "file/Read");
  }
  Session session(graph);
  session.Run({{"path:0", Tensor("elsewhere")}}, {}, {"setup"});
  options.session = &session;
  SaveModel(folder / "m", graph, options);
  LoadedModel model = LoadModel(folder / "m");
  CHECK(model.Run({})["path"].ToString() == "b'" + folder / "m/assets/words.txt'");
  CHECK(std::filesystem::file_size(folder / "m/assets/words.txt") == 8);
}

TEST_CASE("what cannot be saved leaves nothing") {
  const TemporaryFolder folder;
  Line line;
  CHECK(Thrown([&] { SaveModel(folder / "m", line.graph, {}); }) ==
        "INVALID_ARGUMENT SaveModel: there is no signature; \"serving_default\" is what tools look for");
  SaveModelOptions options = line.Options();
  options.signatures["bad"] = {{}, {{"z", "z:0"}}};
  CHECK_THROWS_AS(SaveModel(folder / "m", line.graph, options), Error);
  options = line.Options();
  options.assets = {{line.x, folder / "absent"}};
  CHECK(Thrown([&] { SaveModel(folder / "m", line.graph, options); }).starts_with("NOT_FOUND " + folder / "absent: cannot be copied"));
  CHECK(std::filesystem::is_empty(folder.path()));
  std::ofstream(folder / "x") << "1";
  CHECK(Thrown([&] { SaveModel(folder.path(), line.graph, line.Options()); }) == "ALREADY_EXISTS SaveModel: " + folder.path() + " is there and not empty");

  Graph graph;
  {
    const GraphScope scope(graph);
    const Tensor in = Placeholder(kFloat32, {}, "in");
    EagerFunc("secret", [](Tensor t) { return t * 2.; }, {in}, kFloat32);
    options.signatures = {{"f", {{{"in", in}}, {{"out", Identity(in, "out")}}}}};
    options.assets = {};
  }
  CHECK(Thrown([&] { SaveModel(folder / "h", graph, options); }) ==
        "FAILED_PRECONDITION SaveModel: host functions that are not registered (RegisterHostFunction): secret");
}

TEST_CASE("what cannot be loaded") {
  const TemporaryFolder folder;
  CHECK(Thrown([&] { LoadModel(folder / "no"); }) == "NOT_FOUND " + folder / "no: there is no saved_model.pb and no saved_model.pbtxt");
  Line line;
  SaveModel(folder / "m", line.graph, line.Options());
  std::filesystem::remove_all(folder / "m/variables");
  CHECK(Thrown([&] { LoadModel(folder / "m"); }) ==
        "NOT_FOUND " + folder / "m: " + folder / "m/variables/variables.index: there is no such file: the model's variables are missing");
  std::ofstream(folder / "m/saved_model.pb") << "not a model";
  CHECK(Thrown([&] { LoadModel(folder / "m"); }) == "DATA_LOSS " + folder / "m/saved_model.pb: is no SavedModel, or is cut off");
}

}  // namespace tandem
