#include "tests/text_run.h"

#include "graph/eager_run.h"
#include "graph/graph_state.h"
#include "graph/text.h"
#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

struct Outcome {
  Tensors values;
  std::string error;
};

template <class F>
Outcome Catch(F run) {
  Outcome out;
  try {
    out.values = run();
  } catch (const Error& e) {
    out.error = std::string(CodeName(e.code())) + " " + e.what();
  }
  return out;
}

std::string Text(const Outcome& outcome) {
  if (!outcome.error.empty()) return outcome.error;
  std::string text;
  for (const Tensor& t : outcome.values) text += (text.empty() ? "" : "; ") + (t.dtype() == kVariant || t.dtype() == kResource ? "?" : t.ToString());
  return text;
}

// "" when both are the same.
std::string Differ(const Outcome& a, const Outcome& b) {
  if (a.error != b.error) return Text(a) + " and " + Text(b);
  for (size_t i = 0; i < a.values.size() && i < b.values.size(); ++i)
    if (std::string wrong = DifferentBits(a.values[i], b.values[i]); !wrong.empty()) return wrong;
  return a.values.size() == b.values.size() ? "" : "not as many values";
}

}  // namespace

Graph GraphFromText(const std::string& text) {
  ParsedGraph parsed = ValueOrThrow(ParseGraphText(text));
  Graph graph(RefPtr<GraphState>(new GraphState(parsed.library)));
  GraphState& state = graph.state();
  state.nodes = std::move(parsed.graph);
  for (int32_t id = 0; id < state.nodes.size(); ++id) state.by_name.emplace(state.nodes.node(id).name, id);
  return graph;
}

std::string RunText(const std::string& text, const std::vector<std::pair<std::string, Tensor>>& feeds) {
  Graph graph;
  RunSignature signature;
  std::vector<TensorName> fetches, targets;
  std::vector<Feed> fed;
  Tensors values;
  try {
    const ParsedGraph parsed = ValueOrThrow(ParseGraphText(text));
    graph = GraphFromText(text);
    for (TensorId t : parsed.fetches) fetches.emplace_back(parsed.graph.TensorName(t));
    for (int32_t id : parsed.targets) targets.emplace_back(std::string(parsed.graph.node(id).name));
    signature.fetches.assign(parsed.fetches.begin(), parsed.fetches.end());
    signature.targets.assign(parsed.targets.begin(), parsed.targets.end());
    for (const auto& [name, value] : feeds) {
      signature.feeds.push_back(ValueOrThrow(graph.state().FindTensor(name)));
      fed.push_back({name, value});
      values.push_back(value);
    }
  } catch (const Error& e) {
    return std::string(CodeName(e.code())) + " " + e.what();
  }
  EagerRun reference(RefPtr<GraphState>::Share(&graph.state()));
  const Outcome want = Catch([&] { return ValueOrThrow(reference.Run(signature, values)); });
  for (const OptLevel level : {OptLevel::kO0, OptLevel::kO1, OptLevel::kO2, OptLevel::kO3}) {
    Session session(graph, {.level = level});
    for (int run = 0; run < 2; ++run) {
      const Outcome got = Catch([&] { return session.RunAll(fed, fetches, targets, {}); });
      if (const std::string wrong = Differ(want, got); !wrong.empty()) return "O" + std::to_string(static_cast<int>(level)) + ": " + wrong;
    }
  }
  return Text(want);
}

}  // namespace tandem
