#include "graph/checker.h"

#include "core/tensor_compare.h"
#include "graph/eager_run.h"
#include "graph/passes/passes.h"

namespace tandem {
namespace {

struct Outcome {
  Tensors values;
  std::string error;  // "" when it ran

  // "" when both are the same; else what differs.
  std::string DifferenceTo(const Outcome& other, const std::vector<std::string>& names) const {
    // Where several nodes fail, which one speaks first is a matter of order; that the Run fails is not.
    if (!error.empty() && !other.error.empty()) return "";
    if (error != other.error) return absl::StrCat("one says \"", error, "\", the other \"", other.error, "\"");
    for (size_t i = 0; i < values.size() && i < other.values.size(); ++i)
      if (const std::string d = DifferentBits(values[i], other.values[i]); !d.empty()) return absl::StrCat(names[i], ": ", d);
    return "";
  }
};

class Checker {
 public:
  Checker(const Graph& graph, const std::vector<Feed>& feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& init, OptLevel level)
      : graph_(graph), feeds_(feeds), fetches_(fetches), init_(init), level_(level) {
    for (const TensorName& name : fetches) names_.push_back(name.tensor().defined() ? name.tensor().name() : name.text());
  }

  CheckReport Run() {
    const Outcome eager = Eagerly();
    Line("eager", eager, eager);
    if (!eager.error.empty()) absl::StrAppend(&report_.text, "  ", eager.error, "\n");
    Line("session, no passes", InSession(OptLevel::kO0, -1, -1), eager);
    int count = 0;
    for (const Pass& pass : AllPasses()) {
      if (!pass.in_levels || pass.level > level_) continue;
      const int prefix = ++count;
      const bool was_equal = report_.equal;
      Line(absl::StrCat("session, passes up to ", std::string(pass.name)), InSession(level_, prefix, -1), eager);
      if (was_equal && !report_.equal) Bisect(pass, prefix, eager);
    }
    return report_;
  }

 private:
  RunSignature Signature(const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets, bool fed) const {
    GraphState& state = graph_.state();
    RunSignature s;
    const auto tensor = [&](const TensorName& n, std::string_view what) {
      if (n.tensor().defined()) return ValueOrThrow(state.IdOf(n.tensor(), what));
      std::shared_lock lock(state.mutex);
      return ValueOrThrow(state.FindTensor(n.text()));
    };
    if (fed)
      for (const Feed& f : feeds_) s.feeds.push_back(tensor(f.name, "feed"));
    for (const TensorName& n : fetches) s.fetches.push_back(tensor(n, "fetch"));
    for (const TensorName& n : targets) {
      if (n.tensor().defined()) {
        s.targets.push_back(tensor(n, "target").node);
      } else {
        std::shared_lock lock(state.mutex);
        s.targets.push_back(ValueOrThrow(state.FindNode(n.text())));
      }
    }
    return s;
  }

  Outcome Eagerly() {
    Outcome out;
    EagerRun run(RefPtr<GraphState>::Share(&graph_.state()));
    for (const TensorName& n : init_)
      if (const auto s = run.Run(Signature({}, {n}, false), {}); !s.ok()) return {{}, std::string(s.status().message())};
    Tensors fed;
    for (const Feed& f : feeds_) fed.push_back(f.value);
    auto values = run.Run(Signature(fetches_, {}, true), fed);
    if (!values.ok()) return {{}, std::string(values.status().message())};
    out.values = *std::move(values);
    return out;
  }

  Outcome InSession(OptLevel level, int max_passes, int64_t max_rewrites) {
    SessionOptions options;
    options.level = level;
    options.max_passes = max_passes;
    options.max_rewrites = max_rewrites;
    try {
      Session session(graph_, options);
      for (const TensorName& n : init_) session.RunAll({}, {}, {n}, {});
      return {session.RunAll(feeds_, fetches_, {}, {}), ""};
    } catch (const Error& e) {
      return {{}, e.message()};
    }
  }

  void Line(const std::string& mode, const Outcome& outcome, const Outcome& reference) {
    const std::string difference = outcome.DifferenceTo(reference, names_);
    absl::StrAppend(&report_.text, difference.empty() ? "equal    " : "DIFFERS  ", mode, difference.empty() ? "" : ": " + difference, "\n");
    if (!difference.empty()) report_.equal = false;
  }

  // The fewest rewrites of the pass with which the result differs: the last of them is the one.
  void Bisect(const Pass& pass, int prefix, const Outcome& eager) {
    int64_t good = 0, bad = int64_t{1} << 20;
    while (bad - good > 1) {
      const int64_t middle = good + (bad - good) / 2;
      (InSession(level_, prefix, middle).DifferenceTo(eager, names_).empty() ? good : bad) = middle;
    }
    SessionOptions options;
    options.level = level_;
    options.max_passes = prefix;
    options.max_rewrites = bad;
    std::vector<TensorName> feeds;
    for (const Feed& f : feeds_) feeds.push_back(f.name);
    const ExecutableInfo info = Session(graph_, options).Explain(feeds, fetches_);
    absl::StrAppend(&report_.text, "the first rewrite of ", std::string(pass.name), " that changes the result is its number ", bad, ":\n", info.last_rewrite);
  }

  const Graph& graph_;
  const std::vector<Feed>& feeds_;
  const std::vector<TensorName>& fetches_;
  const std::vector<TensorName>& init_;
  const OptLevel level_;
  std::vector<std::string> names_;
  CheckReport report_;
};

}  // namespace

CheckReport Check(const Graph& graph, const std::vector<Feed>& feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& init, OptLevel level) {
  return Checker(graph, feeds, fetches, init, level).Run();
}

}  // namespace tandem
