#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "nlohmann/json.hpp"
#include "tools/tandem/graph_arguments.h"

namespace tandem::tool {
namespace {

struct RunArguments {
  GraphArguments graph;
  std::string out, trace, signature, tags = "serve";
  int repeat = 1, threads = 0;
  bool stats = false, keep_going = false;
};

// Inputs and outputs by the names of a SavedModel's signature.
int RunModel(const RunArguments& a) {
  SessionOptions options;
  options.level = ParseLevel(a.graph.level);
  options.disable = a.graph.disable;
  options.threads = a.threads;
  std::vector<std::string> tags;
  for (const TensorName& tag : ParseNames({a.tags})) tags.push_back(tag.text());
  LoadedModel model = LoadModel(a.graph.path, {.tags = tags, .session = options});
  const SignatureInfo& signature = model.FindSignature(a.signature);
  std::map<std::string, Tensor> inputs;
  for (const std::string& text : a.graph.feeds) {
    const std::string name = text.substr(0, text.find('='));
    const auto input = std::ranges::find(signature.inputs, name, &SignatureInfo::Argument::name);
    // The value is parsed as the tensor's dtype says; a name that is none of the signature's is Run's to refuse.
    inputs[name] = input == signature.inputs.end() ? Tensor(0) : ParseFeeds(model.graph(), {input->tensor + text.substr(name.size())})[0].value;
  }
  if (!a.out.empty()) std::filesystem::create_directories(a.out);
  for (const auto& [name, value] : model.Run(inputs, signature.name)) {
    if (a.out.empty()) std::cout << name << " = " << value << '\n';
    else SaveNpy((std::filesystem::path(a.out) / (FileName(name) + ".npy")).string(), value);
  }
  return 0;
}

class Runner {
 public:
  explicit Runner(const RunArguments& arguments)
      : arguments_(arguments), graph_(Graph::Load(arguments.graph.path)), session_(graph_, Options(arguments)),
        feeds_(ParseFeeds(graph_, arguments.graph.feeds)), targets_(ParseNames(arguments.graph.targets)) {
    if (arguments.graph.fetches.empty()) throw CLI::RequiredError("--fetch");
    for (const TensorName& init : ParseNames(arguments.graph.init)) session_.RunAll({}, {}, {init}, {});
    if (!arguments.out.empty()) std::filesystem::create_directories(arguments.out);
  }

  int Run() {
    const std::vector<TensorName> fetches = ParseNames(arguments_.graph.fetches);
    const auto begin = std::chrono::steady_clock::now();
    int status = 0;
    if (arguments_.keep_going) status = OneByOne(fetches);
    else Together(fetches);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (arguments_.stats) PrintStatistics(fetches, ms);
    if (!arguments_.trace.empty()) {
      std::ofstream(arguments_.trace) << trace_.ToChromeTrace();
      std::cerr << "trace: " << arguments_.trace << " (open it in ui.perfetto.dev)\n";
    }
    return status;
  }

 private:
  static SessionOptions Options(const RunArguments& a) {
    SessionOptions options;
    options.level = ParseLevel(a.graph.level);
    options.disable = a.graph.disable;
    options.threads = a.threads;
    return options;
  }

  // The fetches of `repeat` Runs in this Session, stacked when there is more than one.
  Tensors Values(const std::vector<TensorName>& fetches) {
    RunOptions options;
    if (!arguments_.trace.empty()) options.trace = &trace_;
    std::vector<Tensors> runs(fetches.size());
    for (int i = 0; i < arguments_.repeat; ++i) {
      Tensors values = session_.RunAll(feeds_, fetches, targets_, options);
      for (size_t k = 0; k < values.size(); ++k) runs[k].push_back(std::move(values[k]));
    }
    Tensors results;
    for (const Tensors& values : runs) results.push_back(arguments_.repeat == 1 ? values[0] : Stack(values));
    return results;
  }

  void Together(const std::vector<TensorName>& fetches) {
    const Tensors values = Values(fetches);
    for (size_t i = 0; i < fetches.size(); ++i) Give(fetches[i].text(), values[i]);
  }

  int OneByOne(const std::vector<TensorName>& fetches) {
    nlohmann::json errors = nlohmann::json::object();
    for (const TensorName& fetch : fetches) {
      try {
        Give(fetch.text(), Values({fetch})[0]);
      } catch (const Error& e) {
        errors[fetch.text()] = {{"code", CodeName(e.code())}, {"message", e.message()}, {"node", e.node()}};
        std::cerr << fetch.text() << ": " << CodeName(e.code()) << ": " << e.message() << '\n';
      }
    }
    const std::string path = (std::filesystem::path(arguments_.out.empty() ? "." : arguments_.out) / "errors.json").string();
    std::ofstream(path) << errors.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    return errors.empty() ? 0 : 1;
  }

  void Give(const std::string& name, const Tensor& value) {
    if (arguments_.out.empty()) {
      std::cout << name << " = " << value << '\n';
      return;
    }
    SaveNpy((std::filesystem::path(arguments_.out) / (FileName(name) + ".npy")).string(), value);
  }

  void PrintStatistics(const std::vector<TensorName>& fetches, double ms) {
    std::vector<TensorName> fed;
    for (const Feed& f : feeds_) fed.push_back(f.name);
    const ExecutableInfo info = session_.Explain(fed, fetches, targets_);
    const AllocatorStatistics memory = GetAllocatorStatistics();
    std::cerr << "nodes: " << info.nodes_before << " before, " << info.nodes_after << " after optimisation\n"
              << "runs: " << arguments_.repeat << " in " << ms << " ms\n"
              << "memory: " << memory.live_bytes << " bytes live, " << memory.peak_bytes << " at the peak, " << memory.system_calls
              << " calls to the system\n";
  }

  const RunArguments& arguments_;
  Graph graph_;
  Session session_;
  std::vector<Feed> feeds_;
  std::vector<TensorName> targets_;
  RunTrace trace_;
};

}  // namespace

void AddRun(CLI::App& app, Action& chosen) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* run = app.add_subcommand("run", "Runs a saved graph, or a signature of a SavedModel's folder");
  AddGraphOptions(*run, a->graph, false);
  run->add_option("--signature", a->signature, "Of a SavedModel: which one (serving_default, or the only one)");
  run->add_option("--tags", a->tags, "Of a SavedModel: TAG[,TAG...] of the graph (serve)");
  run->add_option("--init", a->graph.init, "OP[,OP...]: run first, each in a Run of its own (variable initializers)");
  run->add_option("--target", a->graph.targets, "OP[,OP...]: run together with the fetches (a train op)");
  run->add_option("--out", a->out, "Write results as DIR/NAME.npy, `:` and `/` made `_`, instead of printing them");
  run->add_option("--level", a->graph.level, "O0 (pruning only), O1, O2 (default), O3");
  run->add_option("--disable", a->graph.disable, "Leave a pass out, as often as needed: --disable cse");
  run->add_option("--trace", a->trace, "Write a Chrome trace of the (last) Run");
  run->add_flag("--stats", a->stats, "Print node counts, time and memory");
  run->add_option("--repeat", a->repeat, "Run N times in one Session; results are stacked on a new leading axis")->check(CLI::PositiveNumber);
  run->add_option("--threads", a->threads, "Threads for one Run; 0: all cores")->check(CLI::NonNegativeNumber);
  run->add_flag("--keep-going", a->keep_going, "Run each fetch by itself and write errors.json");
  run->footer("Examples:\n  tandem run model.pb --feed x:0=images.npy --fetch logits:0,classes:0 --out results --stats\n"
              "  tandem run saved_model/ --signature serving_default --feed images=images.npy --out results");
  run->callback([a, &chosen] { chosen = [a] { return std::filesystem::is_directory(a->graph.path) ? RunModel(*a) : Runner(*a).Run(); }; });
}

}  // namespace tandem::tool
