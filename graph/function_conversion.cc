#include "graph/function_conversion.h"

#include <algorithm>

#include "graph/passes/optimizer.h"

namespace tandem {
namespace {

// Functions that nodes name, and those they name, under new names in another library.
class Renamer {
 public:
  Renamer(const FunctionLibrary& from, FunctionLibrary& to) : from_(from), to_(to) {}

  absl::Status Rename(NodeGraph& graph) {
    for (int32_t id = 0; id < graph.size(); ++id) {
      for (AttrValue& attr : graph.node(id).attrs) {
        if (attr.kind() == AttrKind::kFunc) {
          FuncAttr f = attr.ref().get<FuncAttr>();
          ASSIGN_OR_RETURN(f.name, NewName(f.name));
          attr = AttrValue(AttrRef(f));
        } else if (attr.kind() == AttrKind::kFuncList) {
          std::vector<FuncAttr> list;
          for (FuncAttr f : attr.ref().get<std::span<const FuncAttr>>()) {
            ASSIGN_OR_RETURN(f.name, NewName(f.name));
            list.push_back(std::move(f));
          }
          attr = AttrValue(AttrValue::Variant(std::move(list)));
        }
      }
    }
    return absl::OkStatus();
  }
  // Bodies of functions that were met, until none is new.
  absl::StatusOr<std::vector<std::shared_ptr<GraphFunction>>> Copies() {
    for (size_t i = 0; i < copies_.size(); ++i) RETURN_IF_ERROR(Rename(copies_[i]->body));
    return copies_;
  }

 private:
  absl::StatusOr<std::string> NewName(const std::string& name) {
    if (const auto it = names_.find(name); it != names_.end()) return it->second;
    ASSIGN_OR_RETURN(const std::shared_ptr<const GraphFunction> f, from_.Get(name));
    auto copy = std::make_shared<GraphFunction>(*f);
    copy->name = to_.UniqueName(name);
    copy->message = nullptr;
    names_[name] = copy->name;
    copies_.push_back(copy);
    return copy->name;
  }

  const FunctionLibrary& from_;
  FunctionLibrary& to_;
  std::map<std::string, std::string> names_;
  std::vector<std::shared_ptr<GraphFunction>> copies_;
};

void BecomeArg(Node& node, size_t index, DType dtype) {
  node.op = Op<"_Arg">();
  node.attrs.clear();
  node.inputs.clear();
  node.controls.clear();
  for (const OpAttr& attr : node.schema().attrs()) {
    if (attr.explicit_index < 0) continue;
    node.attrs.push_back(attr.kind == AttrKind::kType ? AttrValue(AttrRef(dtype)) : AttrValue(AttrRef(static_cast<int64_t>(index))));
  }
}

}  // namespace

absl::StatusOr<FunctionOfGraph> AddGraphAsFunction(const GraphState& graph, std::span<const TensorId> inputs, std::span<const TensorId> outputs,
                                                   std::span<const int32_t> effects, std::string_view name, FunctionLibrary& library,
                                                   const std::function<absl::StatusOr<Tensor>(const Node& variable)>& handle_of) {
  auto function = std::make_shared<GraphFunction>();
  FunctionOfGraph made;
  GraphRoots roots;
  {
    std::shared_lock lock(graph.mutex);
    function->body = graph.nodes;
  }
  NodeGraph& body = function->body;
  for (TensorId t : inputs) roots.feeds.push_back(t.node);
  roots.fetches.assign(outputs.begin(), outputs.end());
  roots.targets.assign(effects.begin(), effects.end());
  // An input that is read is an argument, and so is a variable from outside.
  for (size_t i = 0; i < roots.feeds.size(); ++i) BecomeArg(body.node(roots.feeds[i]), i, body.node(roots.feeds[i]).outputs[0].dtype);
  Prune(body, roots);
  for (int32_t id = 0; id < body.size(); ++id) {
    Node& node = body.node(id);
    if (node.op == Op<"Placeholder">())
      return absl::FailedPreconditionError(absl::StrCat(Absl(name), ": placeholder \"", Absl(node.name), "\" is no argument of the function"));
    if (node.op != Op<"VarHandleOp">()) continue;
    Tensor handle = node.extra ? node.extra->captured : Tensor();
    if (!handle.defined()) {
      ASSIGN_OR_RETURN(handle, handle_of(node));
    }
    const HandleInfo info{node.attr("dtype").get<DType>(), node.attr("shape").get<Shape>()};
    made.captures.push_back(std::move(handle));
    BecomeArg(node, roots.feeds.size(), kResource);
    auto extra = std::make_shared<NodeExtra>();
    extra->handles = {info};
    node.extra = std::move(extra);
    roots.feeds.push_back(id);
  }
  Renamer renamer(*graph.library, library);
  RETURN_IF_ERROR(renamer.Rename(body));
  function->name = library.UniqueName(name);
  function->args = roots.feeds;
  function->results = roots.fetches;
  function->control_results = roots.targets;
  function->traced_from = 0;
  ASSIGN_OR_RETURN(function->order, body.TopologicalOrder());
  for (int32_t arg : function->args) function->arg_types.push_back(body.node(arg).outputs[0].dtype);
  for (size_t i = 0; i < function->results.size(); ++i) {
    function->result_types.push_back(body.output(function->results[i]).dtype);
    function->result_names.push_back(i == 0 ? "output" : absl::StrCat("output_", i));
  }
  for (int32_t id : function->control_results) function->control_names.emplace_back(body.node(id).name);
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<GraphFunction>> all, renamer.Copies());
  all.push_back(function);
  RETURN_IF_ERROR(library.Add(std::move(all)));
  made.func.name = function->name;
  made.results = function->result_types;
  made.stateful = function->stateful;
  return made;
}

}  // namespace tandem
