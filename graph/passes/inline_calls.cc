#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/ops/functional.h"
#include "graph/function_library.h"
#include "graph/passes/passes.h"

namespace tandem {
namespace {

constexpr int32_t kMaxInlined = 200000;  // nodes that one pass adds: calls of calls can double at each level

class Inliner {
 public:
  explicit Inliner(Rewriter& rw) : rw_(rw) {}

  void Run() {
    if (!rw_.graph().library()) return;
    for (int32_t id = 0; id < rw_.graph().size(); ++id)
      if (CallsFunctions(rw_.node(id).schema())) rw_.Push(id);
    int32_t id;
    while (rw_.Pop(&id)) {
      if (rw_.is_feed(id)) continue;
      const OpSchema& schema = rw_.node(id).schema();
      bool go_on = true;
      if (schema.FindAttr("f") >= 0) go_on = Inline(id);
      else if (schema.FindAttr("then_branch") >= 0 || schema.FindAttr("branches") >= 0) go_on = ChooseBranch(id);
      if (!go_on) return;
    }
  }

 private:
  // If and Case with a constant condition become a call of the branch.
  bool ChooseBranch(int32_t id) {
    const Node& node = rw_.node(id);
    const Node& condition = rw_.node(node.inputs[0].node);
    if (condition.op != Op<"Const">()) return true;
    const Tensor value = condition.attrs[0].ref().get<Tensor>();
    FuncAttr branch;
    if (node.schema().FindAttr("then_branch") >= 0) {
      bool truth;
      if (!IsTrue(*value.rep(), &truth)) return true;
      branch = truth ? node.attr("then_branch").get<FuncAttr>() : node.attr("else_branch").get<FuncAttr>();
    } else {
      if (value.dtype() != kInt32 || value.size() != 1) return true;
      const auto branches = node.attr("branches").get<std::span<const FuncAttr>>();
      const int32_t index = *value.rep()->as<int32_t>();
      branch = branches[index < 0 || static_cast<size_t>(index) >= branches.size() ? branches.size() - 1 : static_cast<size_t>(index)];
    }
    const OpId op = node.schema().has(kStateful) ? Op<"StatefulPartitionedCall">() : Op<"PartitionedCall">();
    absl::InlinedVector<AttrValue, 1> attrs;
    for (const OpAttr& attr : GetOp(op).attrs()) {
      if (attr.explicit_index < 0) continue;
      if (attr.kind == AttrKind::kFunc) attrs.push_back(AttrValue(AttrRef(branch)));
      else if (attr.kind == AttrKind::kTypeList) attrs.push_back(AttrValue(node.attr("Tout")));
      else attrs.push_back(attr.default_value);
    }
    if (!rw_.Begin("constant condition", {&id, 1})) return false;
    const absl::InlinedVector<TensorId, 2> inputs(node.inputs.begin() + 1, node.inputs.end());
    const auto call = rw_.Add(op, id, branch.name, inputs, std::move(attrs));
    if (call.ok()) {
      for (size_t k = 0; k < rw_.node(id).outputs.size(); ++k) rw_.Redirect({id, static_cast<int32_t>(k)}, {*call, static_cast<int32_t>(k)});
      rw_.MoveControls(id, *call);
      if (rw_.node(id).schema().has(kSideEffect)) rw_.AddTarget(*call);
      rw_.Push(*call);
    }
    rw_.End(absl::StrCat("the condition is constant: ", branch.name));
    return true;
  }

  bool Inline(int32_t id) {
    const FuncAttr name = rw_.node(id).attr("f").get<FuncAttr>();
    const auto found = rw_.graph().library()->Get(name.name);
    if (!found.ok()) return true;
    const std::shared_ptr<const GraphFunction> function = *found;
    if (CallsItself(name.name)) {
      rw_.NearMiss("inline", {&id, 1}, absl::StrCat(name.name, " calls itself"));
      return true;
    }
    if (added_ + function->body.size() > kMaxInlined) {
      rw_.NearMiss("inline", {&id, 1}, absl::StrCat("more than ", kMaxInlined, " nodes"));
      return true;
    }
    if (!rw_.Begin("inline", {&id, 1})) return false;
    const NodeGraph& body = function->body;
    const absl::InlinedVector<TensorId, 2> inputs = rw_.node(id).inputs;
    const absl::InlinedVector<int32_t, 1> call_controls = rw_.node(id).controls;
    std::vector<TensorId> arg_of(body.size());
    std::vector<int32_t> made(body.size(), -1);
    std::vector<bool> is_arg(body.size(), false);
    for (size_t i = 0; i < inputs.size(); ++i) {
      arg_of[function->args[i]] = inputs[i];
      is_arg[function->args[i]] = true;
    }
    const auto here = [&](TensorId t) { return is_arg[t.node] ? arg_of[t.node] : TensorId{made[t.node], t.output}; };
    const std::vector<int32_t> keep = PruneMap(body, {{}, function->results, function->control_results});
    for (int32_t b : function->order) {
      if (is_arg[b] || keep[b] < 0) continue;
      Node node = body.node(b);
      bool first = true;  // nothing of the body runs before it
      for (TensorId& t : node.inputs) {
        first &= is_arg[t.node];
        t = here(t);
      }
      absl::InlinedVector<int32_t, 1> controls;
      for (int32_t c : node.controls) {
        first &= is_arg[c];
        if (!is_arg[c]) controls.push_back(made[c]);
      }
      if (first) controls.insert(controls.end(), call_controls.begin(), call_controls.end());
      node.controls = std::move(controls);
      made[b] = rw_.AddInlined(std::move(node), id);
      ++added_;
      if (CallsFunctions(rw_.node(made[b]).schema())) rw_.Push(made[b]);
    }
    // Who waited for the call waits for all of it; what must run although no result needs it still does.
    const bool effects = !function->control_results.empty();
    if (effects || rw_.HasControlReaders(id) || rw_.is_target(id)) {
      Node done;
      done.op = Op<"NoOp">();
      done.name = "done";
      const auto after = [&](int32_t node) {
        if (node >= 0 && std::find(done.controls.begin(), done.controls.end(), node) == done.controls.end()) done.controls.push_back(node);
      };
      for (int32_t c : function->control_results) after(made[c]);
      for (TensorId t : function->results) after(is_arg[t.node] ? arg_of[t.node].node : made[t.node]);
      for (int32_t c : call_controls) after(c);
      const int32_t node = rw_.AddInlined(std::move(done), id);
      if (effects) rw_.AddTarget(node);
      rw_.MoveControls(id, node);
    }
    for (size_t k = 0; k < function->results.size(); ++k) rw_.Redirect({id, static_cast<int32_t>(k)}, here(function->results[k]));
    rw_.End(absl::StrCat(name.name, ", ", body.size() - static_cast<int32_t>(inputs.size()), " nodes"));
    return true;
  }

  // Whether a function is reached from its own body.
  bool CallsItself(const std::string& name) {
    const auto [it, added] = calls_itself_.try_emplace(name, false);
    if (!added) return it->second;
    std::vector<std::string> stack = {name};
    absl::flat_hash_set<std::string> seen;
    while (!stack.empty()) {
      const auto f = rw_.graph().library()->Find(stack.back());
      stack.pop_back();
      if (!f) continue;
      for (const Node& node : f->body.nodes()) {
        for (const FuncAttr& callee : FunctionsOf(node)) {
          if (callee.name == name) return calls_itself_[name] = true;
          if (seen.insert(callee.name).second) stack.push_back(callee.name);
        }
      }
    }
    return false;
  }

  Rewriter& rw_;
  absl::flat_hash_map<std::string, bool> calls_itself_;
  int32_t added_ = 0;
};

}  // namespace

void InlineCalls(Rewriter& rw) { Inliner(rw).Run(); }

}  // namespace tandem
