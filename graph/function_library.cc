#include "graph/function_library.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "proto/function.pb.h"

namespace tandem {

std::shared_ptr<const GraphFunction> FunctionLibrary::Find(std::string_view name) const {
  std::shared_lock lock(mutex_);
  if (const auto it = functions_.find(name); it != functions_.end()) return it->second;
  return base_ ? base_->Find(name) : nullptr;
}

absl::StatusOr<std::shared_ptr<const GraphFunction>> FunctionLibrary::Get(std::string_view name) const {
  auto function = Find(name);
  if (!function) return absl::NotFoundError(absl::StrCat("there is no function \"", Absl(name), "\""));
  if (!function->problem.ok()) return function->problem;
  return function;
}

void FunctionLibrary::Settle(std::span<const std::shared_ptr<GraphFunction>> functions) const {
  absl::flat_hash_map<std::string_view, const GraphFunction*> own;
  for (const auto& f : functions) own.emplace(f->name, f.get());
  const auto callee = [&](const std::string& name) -> const GraphFunction* {
    if (const auto it = own.find(name); it != own.end()) return it->second;
    return Find(name).get();  // the library keeps it
  };
  // State and problems spread from callee to caller and only grow, so this ends.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& f : functions) {
      const bool stateful = f->stateful, random = f->has_random, good = f->problem.ok();
      for (const Node& node : f->body.nodes()) {
        if (node.op == Op<"_Arg">()) continue;
        f->stateful |= (node.schema().traits() & (kStateful | kSideEffect)) != 0;
        f->has_random |= node.schema().has(kRandom);
        for (const FuncAttr& name : FunctionsOf(node)) {
          const GraphFunction* g = callee(name.name);
          if (!g) continue;  // inference says so
          f->stateful |= g->stateful;
          f->has_random |= g->has_random;
          if (f->problem.ok()) f->problem = g->problem;
        }
      }
      changed |= stateful != f->stateful || random != f->has_random || good != f->problem.ok();
    }
  }
}

absl::Status FunctionLibrary::Add(std::vector<std::shared_ptr<GraphFunction>> functions) {
  Settle(functions);
  std::unique_lock lock(mutex_);
  for (const auto& f : functions)
    if (functions_.contains(f->name)) return absl::AlreadyExistsError(absl::StrCat("the graph has another function named \"", f->name, "\""));
  for (const auto& f : functions) {
    f->body.set_library(this);
    functions_.emplace(f->name, f);
    order_.push_back(f);
  }
  return absl::OkStatus();
}

std::string FunctionLibrary::UniqueName(std::string_view base) {
  std::unique_lock lock(mutex_);
  std::string name(base);
  for (int i = 1; functions_.contains(name) || taken_.contains(name); ++i) name = absl::StrCat(Absl(base), "_", i);
  taken_.insert(name);
  return name;
}

std::vector<std::shared_ptr<const GraphFunction>> FunctionLibrary::All() const {
  std::shared_lock lock(mutex_);
  return order_;
}

bool FunctionLibrary::empty() const {
  std::shared_lock lock(mutex_);
  return order_.empty();
}

std::set<std::string> ReachableFunctions(const NodeGraph& graph, const FunctionLibrary& library) {
  std::set<std::string> reached;
  std::vector<std::shared_ptr<const GraphFunction>> stack;
  const auto visit = [&](const NodeGraph& nodes) {
    for (const Node& node : nodes.nodes())
      for (const FuncAttr& f : FunctionsOf(node))
        if (reached.insert(f.name).second)
          if (auto function = library.Find(f.name)) stack.push_back(std::move(function));
  };
  visit(graph);
  while (!stack.empty()) {
    const std::shared_ptr<const GraphFunction> f = std::move(stack.back());
    stack.pop_back();
    visit(f->body);
  }
  return reached;
}

bool CallsFunctions(const OpSchema& schema) {
  for (const OpAttr& attr : schema.attrs())
    if (attr.kind == AttrKind::kFunc || attr.kind == AttrKind::kFuncList) return true;
  return false;
}

std::vector<FuncAttr> FunctionsOf(const Node& node) {
  std::vector<FuncAttr> functions;
  for (const AttrValue& attr : node.attrs) {
    if (attr.kind() == AttrKind::kFunc) functions.push_back(attr.ref().get<FuncAttr>());
    else if (attr.kind() == AttrKind::kFuncList)
      for (const FuncAttr& f : attr.ref().get<std::span<const FuncAttr>>()) functions.push_back(f);
  }
  return functions;
}

}  // namespace tandem
