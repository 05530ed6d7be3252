// optimize, show, check, convert: what looks at a graph or writes it anew.
#include <fstream>
#include <iostream>

#include "graph/checker.h"
#include "graph/picture.h"
#include "tools/tandem/graph_arguments.h"

namespace tandem::tool {
namespace {

std::vector<TensorName> FeedNames(const std::vector<std::string>& texts) {
  std::vector<TensorName> names;
  for (const std::string& text : texts) names.emplace_back(text.substr(0, text.find('=')));
  return names;
}

struct OptimizeArguments {
  GraphArguments graph;
  std::string out, explain;
};

int Optimize(const OptimizeArguments& a) {
  const Graph graph = Graph::Load(a.graph.path);
  SessionOptions options;
  options.level = ParseLevel(a.graph.level);
  options.disable = a.graph.disable;
  // Placeholders need no mention: every one that the fetches read counts as fed.
  std::vector<TensorName> feeds = FeedNames(a.graph.feeds);
  const std::vector<TensorName> fetches = ParseNames(a.graph.fetches), targets = ParseNames(a.graph.targets);
  if (feeds.empty()) feeds = RequiredFeeds(graph, fetches, targets);
  const ExecutableInfo info = Session(graph, options).Explain(feeds, fetches, targets);
  if (a.explain == "json") std::cout << info.report_json;
  else std::cout << "nodes: " << info.nodes_before << " before, " << info.nodes_after << " after\n";
  if (a.explain == "text") std::cout << info.report;
  if (!a.out.empty()) {
    info.graph.Save(a.out);
    std::cerr << "written: " << a.out << '\n';
  }
  return 0;
}

int Show(const std::string& path, const std::string& format) {
  const Graph graph = Graph::Load(path);
  std::cout << (format == "dot" ? ToDot(graph) : format == "svg" ? ToSvg(graph) : format == "json" ? ToJson(graph) : graph.ToString());
  return 0;
}

int CheckGraph(const GraphArguments& a) {
  const Graph graph = Graph::Load(a.path);
  const CheckReport report = Check(graph, ParseFeeds(graph, a.feeds), ParseNames(a.fetches), ParseNames(a.init), ParseLevel(a.level));
  std::cout << report.text << (report.equal ? "equal in every mode\n" : "");
  return report.equal ? 0 : 1;
}

}  // namespace

void AddOptimize(CLI::App& app, Action& chosen) {
  auto a = std::make_shared<OptimizeArguments>();
  CLI::App* optimize = app.add_subcommand("optimize", "Optimises a graph and says what was done and what was nearly done");
  AddGraphOptions(*optimize, a->graph, true);
  optimize->add_option("--target", a->graph.targets, "OP[,OP...]: ops to keep beside the fetches");
  optimize->add_option("--level", a->graph.level, "O0, O1, O2 (default), O3");
  optimize->add_option("--disable", a->graph.disable, "Leave a pass out");
  optimize->add_option("-o,--out", a->out, "Write the optimised graph");
  optimize->add_flag("--explain{text}", a->explain, "The report: --explain or --explain=json");
  optimize->footer("Example:\n  tandem optimize model.pb --fetch logits:0 --explain -o optimised.pb");
  optimize->callback([a, &chosen] {
    if (!a->explain.empty() && a->explain != "text" && a->explain != "json") throw CLI::ValidationError("--explain", "must be text or json");
    chosen = [a] { return Optimize(*a); };
  });
}

void AddShow(CLI::App& app, Action& chosen) {
  auto path = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");
  CLI::App* show = app.add_subcommand("show", "Prints a graph, one node a line, or draws it");
  show->add_option("GRAPH", *path, "A GraphDef or MetaGraphDef, binary or text")->required();
  show->add_option("--format", *format, "text (default), dot, svg or json")->check(CLI::IsMember({"text", "dot", "svg", "json"}));
  show->footer("Example:\n  tandem show model.pb --format svg > model.svg");
  show->callback([path, format, &chosen] { chosen = [path, format] { return Show(*path, *format); }; });
}

void AddCheck(CLI::App& app, Action& chosen) {
  auto a = std::make_shared<GraphArguments>();
  a->level = "O3";
  CLI::App* check = app.add_subcommand("check", "Compares eager, plain and optimised runs bit for bit, pass by pass");
  AddGraphOptions(*check, *a, true);
  check->add_option("--init", a->init, "OP[,OP...]: run first in every mode");
  check->add_option("--level", a->level, "The passes to check: O1, O2, O3 (default)");
  check->footer("Example:\n  tandem check model.pb --feed x:0=images.npy --fetch logits:0");
  check->callback([a, &chosen] { chosen = [a] { return CheckGraph(*a); }; });
}

void AddConvert(CLI::App& app, Action& chosen) {
  auto in = std::make_shared<std::string>(), out = std::make_shared<std::string>();
  CLI::App* convert = app.add_subcommand("convert", "Writes a graph in another form");
  convert->add_option("IN", *in, "A GraphDef or MetaGraphDef, binary or text")->required();
  convert->add_option("OUT", *out, ".pb: binary GraphDef; .pbtxt: text; .meta: MetaGraphDef")->required();
  convert->footer("Example:\n  tandem convert model.pb model.pbtxt");
  convert->callback([in, out, &chosen] {
    chosen = [in, out] {
      Graph::Load(*in).Save(*out);
      return 0;
    };
  });
}

}  // namespace tandem::tool
