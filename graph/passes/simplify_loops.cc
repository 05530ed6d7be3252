#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "graph/function_library.h"
#include "graph/passes/passes.h"

namespace tandem {
namespace {

// A loop whose functions may be written anew.
struct LoopInfo {
  std::shared_ptr<const GraphFunction> cond, body;
  std::vector<bool> invariant;  // by variable: the body hands it on
};

bool MayMove(const Node& node) {
  return !(node.schema().traits() & (kStateful | kSideEffect | kRandom | kMayFail | kView)) && node.op != Op<"Const">() && node.op != Op<"_Arg">() &&
         !CallsFunctions(node.schema()) && node.controls.empty() && !node.inputs.empty() && !node.outputs.empty();
}

// The loop's condition or body with the arguments that keep says, then one for each of `more`, which are outputs of the
// body: there, who read the output reads the argument. What a body gives is cut down in the same way.
std::shared_ptr<GraphFunction> Derive(const LoopInfo& loop, bool is_body, const std::vector<bool>& keep, const std::vector<TensorId>& more) {
  const GraphFunction& from = is_body ? *loop.body : *loop.cond;
  auto made = std::make_shared<GraphFunction>();
  made->body = from.body;
  made->derived = true;
  made->source = from.source.empty() ? from.name : from.source;
  for (size_t i = 0; i < from.args.size(); ++i) {
    if (!keep[i]) continue;
    made->args.push_back(from.args[i]);
    made->arg_types.push_back(from.arg_types[i]);
    if (is_body) made->results.push_back(from.results[i]);
  }
  if (!is_body) made->results = from.results;
  absl::flat_hash_map<TensorId, TensorId> replaced;
  for (TensorId t : more) {
    const NodeOutput out = loop.body->body.output(t);
    Node arg;
    arg.op = Op<"_Arg">();
    arg.name = made->body.AddName(absl::StrCat("invariant_", made->args.size()));
    for (const OpAttr& attr : arg.schema().attrs()) {
      if (attr.explicit_index < 0) continue;
      arg.attrs.push_back(attr.kind == AttrKind::kType ? AttrValue(AttrRef(out.dtype)) : AttrValue(AttrRef(static_cast<int64_t>(made->args.size()))));
    }
    arg.outputs = {out};
    const int32_t id = made->body.AddCopy(arg);
    made->args.push_back(id);
    made->arg_types.push_back(out.dtype);
    if (is_body) replaced[t] = {id, 0};
  }
  const auto replace = [&](TensorId& t) {
    if (const auto it = replaced.find(t); it != replaced.end()) t = it->second;
  };
  for (int32_t id = 0; id < from.body.size(); ++id)
    for (TensorId& t : made->body.node(id).inputs) replace(t);
  for (TensorId& t : made->results) replace(t);
  for (TensorId t : more)
    if (is_body) made->results.push_back(replaced[t]);
  made->control_results = from.control_results;
  made->control_names = from.control_names;
  GraphRoots roots{made->args, made->results, made->control_results};
  Prune(made->body, roots);
  made->args = roots.feeds;
  made->results = roots.fetches;
  made->control_results = roots.targets;
  for (size_t i = 0; i < made->results.size(); ++i) {
    made->result_types.push_back(made->body.output(made->results[i]).dtype);
    made->result_names.push_back(absl::StrCat("output_", i));
  }
  return made;
}

class LoopSimplifier {
 public:
  explicit LoopSimplifier(Rewriter& rw) : rw_(rw) {}

  void Run() {
    if (!rw_.graph().library()) return;
    const int32_t n = rw_.graph().size();
    for (int32_t id = 0; id < n; ++id) {
      const OpSchema& schema = rw_.node(id).schema();
      if (rw_.is_feed(id) || schema.FindAttr("cond") < 0 || schema.FindAttr("body") < 0) continue;
      LoopInfo loop;
      if (!Look(id, loop)) continue;
      if (!BypassInvariants(id, loop)) return;
      std::vector<bool> keep = Needed(id, loop);
      std::vector<TensorId> hoisted = Hoistable(loop);
      if (std::find(keep.begin(), keep.end(), false) == keep.end() && hoisted.empty()) continue;
      if (!Rewrite(id, loop, keep, hoisted)) return;
    }
  }

 private:
  bool Look(int32_t id, LoopInfo& loop) {
    const Node& node = rw_.node(id);
    const auto cond = rw_.graph().library()->Get(node.attr("cond").get<FuncAttr>().name);
    const auto body = rw_.graph().library()->Get(node.attr("body").get<FuncAttr>().name);
    if (!cond.ok() || !body.ok()) return false;
    loop.cond = *cond;
    loop.body = *body;
    // Where random state lies depends on the loop's and its functions' names.
    if (loop.cond->has_random || loop.body->has_random) return false;
    for (size_t i = 0; i < loop.body->results.size(); ++i) loop.invariant.push_back(loop.body->results[i] == TensorId{loop.body->args[i], 0});
    return true;
  }

  // What the loop gives back as it got it need not be read from the loop.
  bool BypassInvariants(int32_t id, const LoopInfo& loop) {
    for (size_t i = 0; i < loop.invariant.size(); ++i) {
      const TensorId out{id, static_cast<int32_t>(i)};
      if (!loop.invariant[i] || rw_.CountReaders(out, 1) == 0) continue;
      if (!rw_.Begin("invariant variable", {&id, 1})) return false;
      rw_.Redirect(out, rw_.node(id).inputs[i]);
      rw_.End("the loop does not change it");
    }
    return true;
  }

  // Which args each of the body's roots needs.
  static std::vector<bool> ArgsOf(const GraphFunction& f, std::vector<int32_t> stack) {
    std::vector<bool> seen(f.body.size(), false), args(f.args.size(), false);
    for (int32_t id : stack) seen[id] = true;
    while (!stack.empty()) {
      const Node& node = f.body.node(stack.back());
      stack.pop_back();
      const auto visit = [&](int32_t id) {
        if (!seen[id]) stack.push_back(id);
        seen[id] = true;
      };
      for (TensorId t : node.inputs) visit(t.node);
      for (int32_t c : node.controls) visit(c);
    }
    for (size_t i = 0; i < f.args.size(); ++i) args[i] = seen[f.args[i]];
    return args;
  }

  // Variables that somebody reads, the condition or an effect needs, or one of these is computed from.
  std::vector<bool> Needed(int32_t id, const LoopInfo& loop) {
    const size_t n = loop.invariant.size();
    std::vector<bool> needed = ArgsOf(*loop.cond, [&] {
      std::vector<int32_t> roots = loop.cond->control_results;
      for (TensorId t : loop.cond->results) roots.push_back(t.node);
      return roots;
    }());
    const std::vector<bool> effects = ArgsOf(*loop.body, loop.body->control_results);
    for (size_t i = 0; i < n; ++i) needed[i] = needed[i] || effects[i] || rw_.CountReaders({id, static_cast<int32_t>(i)}, 1) > 0;
    std::vector<bool> done(n, false);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < n; ++i) {
        if (!needed[i] || done[i]) continue;
        done[i] = changed = true;
        const std::vector<bool> args = ArgsOf(*loop.body, {loop.body->results[i].node});
        for (size_t k = 0; k < n; ++k) needed[k] = needed[k] || args[k];
      }
    }
    return needed;
  }

  // Outputs of the body that depend on invariant variables alone and that something which varies reads.
  static std::vector<TensorId> Hoistable(const LoopInfo& loop) {
    const NodeGraph& body = loop.body->body;
    std::vector<bool> still(body.size(), false), moves(body.size(), false);
    for (size_t i = 0; i < loop.invariant.size(); ++i) still[loop.body->args[i]] = loop.invariant[i];
    for (int32_t id : loop.body->order) {
      const Node& node = body.node(id);
      if (node.op == Op<"Const">()) still[id] = true;
      if (!MayMove(node)) continue;
      bool all = true, some = false;
      for (TensorId t : node.inputs) {
        // Where shapes are open the node may fail, which a loop that runs no iteration must not.
        all &= still[t.node] && body.output(t).shape.fully_known();
        some |= body.node(t.node).op != Op<"Const">();
      }
      still[id] = moves[id] = all && some;
    }
    std::vector<TensorId> frontier;
    const auto add = [&](TensorId t) {
      if (moves[t.node] && std::find(frontier.begin(), frontier.end(), t) == frontier.end()) frontier.push_back(t);
    };
    const std::vector<int32_t> needed = PruneMap(body, {{}, loop.body->results, loop.body->control_results});
    for (int32_t id : loop.body->order) {
      if (moves[id] || needed[id] < 0) continue;
      for (TensorId t : body.node(id).inputs) add(t);
    }
    for (TensorId t : loop.body->results) add(t);
    return frontier;
  }

  // Copies what the outputs need in front of the loop.
  std::vector<TensorId> CopyOut(int32_t id, const LoopInfo& loop, const std::vector<TensorId>& outputs) {
    const NodeGraph& body = loop.body->body;
    std::vector<bool> wanted(body.size(), false);
    std::vector<int32_t> stack;
    for (TensorId t : outputs) stack.push_back(t.node);
    while (!stack.empty()) {
      const int32_t at = stack.back();
      stack.pop_back();
      if (wanted[at]) continue;
      wanted[at] = true;
      for (TensorId t : body.node(at).inputs) stack.push_back(t.node);
    }
    std::vector<TensorId> arg_of(body.size());
    std::vector<int32_t> made(body.size(), -1);
    for (size_t i = 0; i < loop.body->args.size(); ++i) arg_of[loop.body->args[i]] = rw_.node(id).inputs[i];
    const auto here = [&](TensorId t) { return made[t.node] < 0 ? arg_of[t.node] : TensorId{made[t.node], t.output}; };
    for (int32_t at : loop.body->order) {
      if (!wanted[at] || body.node(at).op == Op<"_Arg">()) continue;
      Node node = body.node(at);
      for (TensorId& t : node.inputs) t = here(t);
      node.controls.clear();
      made[at] = rw_.AddInlined(std::move(node), id);
    }
    std::vector<TensorId> moved;
    for (TensorId t : outputs) moved.push_back(here(t));
    return moved;
  }

  bool Rewrite(int32_t id, const LoopInfo& loop, const std::vector<bool>& keep, const std::vector<TensorId>& hoisted) {
    const auto pruned = std::count(keep.begin(), keep.end(), false);
    if (!rw_.Begin(hoisted.empty() ? "unused variables" : "hoist", {&id, 1})) return false;
    auto body = Derive(loop, true, keep, hoisted), cond = Derive(loop, false, keep, hoisted);
    auto& library = const_cast<FunctionLibrary&>(*rw_.graph().library());
    body->name = library.UniqueName(absl::StrCat(body->source, "/simplified"));
    cond->name = library.UniqueName(absl::StrCat(cond->source, "/simplified"));
    const auto order = body->body.TopologicalOrder(), cond_order = cond->body.TopologicalOrder();
    if (order.ok() && cond_order.ok()) {
      body->order = *order;
      cond->order = *cond_order;
      FuncAttr cond_name{cond->name, {}}, body_name{body->name, {}};
      if (library.Add({cond, body}).ok()) Swap(id, loop, keep, hoisted, cond_name, body_name);
    }
    rw_.End(absl::StrCat(pruned, pruned == 1 ? " variable" : " variables", " less, ", hoisted.size(), hoisted.size() == 1 ? " tensor" : " tensors", " computed once"));
    return true;
  }

  void Swap(int32_t id, const LoopInfo& loop, const std::vector<bool>& keep, const std::vector<TensorId>& hoisted, const FuncAttr& cond, const FuncAttr& body) {
    absl::InlinedVector<TensorId, 2> inputs;
    std::vector<int32_t> position(keep.size(), -1);
    for (size_t i = 0; i < keep.size(); ++i) {
      if (!keep[i]) continue;
      position[i] = static_cast<int32_t>(inputs.size());
      inputs.push_back(rw_.node(id).inputs[i]);
    }
    for (TensorId t : CopyOut(id, loop, hoisted)) inputs.push_back(t);
    absl::InlinedVector<AttrValue, 1> attrs;
    for (const OpAttr& attr : rw_.node(id).schema().attrs()) {
      if (attr.explicit_index < 0) continue;
      if (attr.name == "cond") attrs.push_back(AttrValue(AttrRef(cond)));
      else if (attr.name == "body") attrs.push_back(AttrValue(AttrRef(body)));
      else if (attr.name == "output_shapes") attrs.push_back(attr.default_value);
      else attrs.push_back(AttrValue(rw_.node(id).attr(AttrName(attr.name))));
    }
    const bool effects = rw_.node(id).schema().has(kSideEffect);
    const auto made = rw_.Add(rw_.node(id).op, id, "simplified", std::move(inputs), std::move(attrs));
    if (!made.ok()) return;
    for (size_t i = 0; i < keep.size(); ++i)
      if (keep[i]) rw_.Redirect({id, static_cast<int32_t>(i)}, {*made, position[i]});
    rw_.MoveControls(id, *made);
    if (effects) rw_.AddTarget(*made);
  }

  Rewriter& rw_;
};

}  // namespace

void SimplifyLoops(Rewriter& rw) { LoopSimplifier(rw).Run(); }

}  // namespace tandem
