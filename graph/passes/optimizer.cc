#include "graph/passes/optimizer.h"

#include <algorithm>

#include "graph/passes/passes.h"

namespace tandem {

std::span<const Pass> AllPasses() {
  static constexpr Pass kPasses[] = {
      {"function-inlining", OptLevel::kO1, true, InlineCalls, "calls give way to what they call"},
      {"shape-inference", OptLevel::kO1, true, InferShapes, "static shapes flow to all readers"},
      {"constant-folding", OptLevel::kO1, true, FoldConstants, "what depends on constants only is computed once"},
      {"constant-branches", OptLevel::kO1, true, InlineCalls, "branches whose condition became constant"},
      {"loop-invariants", OptLevel::kO2, true, SimplifyLoops, "loops keep only variables and nodes that change"},
      {"algebra", OptLevel::kO2, true, Simplify, "rules exact in IEEE arithmetic"},
      {"layout", OptLevel::kO2, true, EliminateLayout, "transposes, reshapes, slices and pads that move nothing go"},
      {"cse", OptLevel::kO1, true, MergeCommonSubexpressions, "equal pure nodes become one"},
      {"contraction-fusion", OptLevel::kO2, true, FuseContractions, "MatMul and Conv2D take bias, residual and activation in"},
      {"elementwise-fusion", OptLevel::kO2, true, FuseElementwise, "clusters of elementwise ops run as one loop"},
      {"update-fusion", OptLevel::kO2, true, FuseUpdates, "the updates of an optimizer's step run as one call"},
  };
  return kPasses;
}

void InferShapes(Rewriter& rw) {
  const auto order = rw.graph().TopologicalOrder();
  if (!order.ok()) return;
  for (int32_t id : *order) {
    if (rw.is_feed(id) || rw.node(id).op == Op<"Const">() || rw.node(id).inputs.empty()) continue;
    // A node that fails here fails in the run, where the error belongs; it keeps what was known.
    rw.graph().InferNode(id).IgnoreError();
  }
}

absl::Status Optimize(NodeGraph& graph, GraphRoots& roots, const OptimizeOptions& options, EventLog* log) {
  const auto listed = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto* names : {&options.disable, &options.enable})
    for (const std::string& name : *names)
      if (std::none_of(AllPasses().begin(), AllPasses().end(), [&](const Pass& p) { return p.name == name; })) {
        std::string all;
        for (const Pass& p : AllPasses()) absl::StrAppend(&all, all.empty() ? "" : ", ", std::string(p.name));
        return absl::NotFoundError(absl::StrCat("there is no pass \"", name, "\"; the passes are ", all));
      }
  RETURN_IF_ERROR(graph.TopologicalOrder().status());
  Rewriter(graph, roots, "pruning", log).Compact();
  int done = 0;
  for (const Pass& pass : AllPasses()) {
    const bool on = pass.in_levels ? options.level >= pass.level && !listed(options.disable, pass.name) : listed(options.enable, pass.name);
    if (!on) continue;
    if (options.max_passes >= 0 && done == options.max_passes) break;
    ++done;
    Rewriter rw(graph, roots, pass.name, log, done == options.max_passes ? options.max_rewrites : -1);
    pass.run(rw);
    rw.Compact();
  }
  return absl::OkStatus();
}

}  // namespace tandem
