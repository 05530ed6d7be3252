#include "graph/graph_context.h"

#include <algorithm>

#include "core/attr_proto.h"
#include "core/gradient_override.h"
#include "core/scopes.h"
#include "core/variable_storage.h"
#include "proto/attr_value.pb.h"

namespace tandem {
namespace {

std::string InputName(const OpSchema& schema, size_t i) {
  return schema.plain() && i < schema.inputs().size() ? schema.inputs()[i].name : absl::StrCat("input ", i);
}

std::shared_ptr<NodeExtra> MutableExtra(const Node& node) {
  return node.extra ? std::make_shared<NodeExtra>(*node.extra) : std::make_shared<NodeExtra>();
}

// A name of a variable may hold what a node's may not.
std::string NodeNameFrom(std::string_view text) {
  std::string name;
  for (char c : text) name += IsNodeName(std::string("a") + c) && c != '>' ? c : '_';
  return IsNodeName(name) ? name : "Variable";
}

}  // namespace

absl::StatusOr<int32_t> GraphContext::AddConstant(const Tensor& value) {
  const auto [it, added] = state_->constants.try_emplace(value.rep(), -1);
  if (!added) return it->second;
  const std::string name = state_->UniqueName(ScopeChain::Prefix() + "Const");
  Node node;
  node.op = Op<"Const">();
  node.name = name;
  node.attrs = NodeGraph::ConstAttrs(value);
  if (absl::Status status = state_->nodes.Infer(node); !status.ok()) {
    state_->constants.erase(value.rep());
    return status;
  }
  return state_->constants[value.rep()] = state_->Append(std::move(node));
}

absl::StatusOr<int32_t> GraphContext::AddCaptured(const OpCall& call, TensorRep* rep) {
  ResourceBase* resource = rep->count == 1 ? rep->as<ResourceBase*>()[0] : nullptr;
  if (const auto it = state_->captured.find(resource); it != state_->captured.end()) return it->second;
  ASSIGN_OR_RETURN(VariableStorage* storage, GetVariable(*rep, OpName(call.op)));
  const std::string name = state_->UniqueName(NodeNameFrom(storage->name()));
  Node node;
  node.op = Op<"VarHandleOp">();
  node.name = name;
  node.origin = call.origin;
  for (const OpAttr& attr : node.schema().attrs()) {
    if (attr.name == "dtype") node.attrs.push_back(AttrValue(AttrRef(storage->dtype())));
    else if (attr.name == "shape") node.attrs.push_back(AttrValue(AttrRef(storage->info().shape)));
    else if (attr.name == "shared_name") node.attrs.push_back(AttrValue(AttrRef(name)));
    else node.attrs.push_back(attr.default_value);
  }
  auto extra = std::make_shared<NodeExtra>();
  extra->captured = Tensor::Share(rep);
  node.extra = std::move(extra);
  RETURN_IF_ERROR(state_->nodes.Infer(node));
  return state_->captured[resource] = state_->Append(std::move(node));
}

absl::StatusOr<TensorId> GraphContext::Input(const OpCall& call, TensorRep* rep, size_t i) {
  if (rep->symbolic()) {
    const SymbolicData& symbol = rep->symbol();
    if (symbol.graph == state_.get()) return TensorId{symbol.node, symbol.output};
    for (const GraphState* around = state_->outer.get(); around && symbol.graph; around = around->outer.get())
      if (symbol.graph == around) {
        ASSIGN_OR_RETURN(const int32_t id, CaptureArg(Tensor::Share(rep)));
        return TensorId{id, 0};
      }
    if (symbol.graph && !inlined_.empty())
      if (const auto it = inlined_.find(static_cast<const GraphState*>(symbol.graph)->serial); it != inlined_.end()) return TensorId{it->second[symbol.node], symbol.output};
    const OpSchema& schema = GetOp(call.op);
    if (!symbol.graph) return NoValueError(schema.name(), InputName(schema, i), *rep);
    return InvalidArgument(schema.name(), ": ", InputName(schema, i), " is \"", static_cast<SymbolicGraph*>(symbol.graph)->TensorName(symbol.node, symbol.output),
                           "\" of another graph");
  }
  if (rep->dtype == kResource) {
    ASSIGN_OR_RETURN(const int32_t id, state_->outer ? CaptureArg(Tensor::Share(rep)) : AddCaptured(call, rep));
    return TensorId{id, 0};
  }
  ASSIGN_OR_RETURN(const int32_t id, AddConstant(Tensor::Share(rep)));
  return TensorId{id, 0};
}

absl::Status GraphContext::AddControls(const OpCall& call, Node& node) {
  std::vector<Tensor> tensors;
  std::vector<std::string> names;
  ScopeChain::Controls(&tensors, &names);
  const auto add = [&](int32_t id) {
    if (std::find(node.controls.begin(), node.controls.end(), id) == node.controls.end()) node.controls.push_back(id);
  };
  for (const Tensor& t : tensors) {
    ASSIGN_OR_RETURN(const TensorId id, state_->IdOf(t, absl::StrCat(Absl(OpName(call.op)), ": control dependency")));
    add(id.node);
  }
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const int32_t id, state_->FindNode(name));
    add(id);
  }
  return absl::OkStatus();
}

// The first assignment to a variable that was made in this graph gives its initial value.
void GraphContext::NoteInitializer(int32_t id) {
  const NodeGraph& nodes = state_->nodes;
  const int32_t handle = nodes.node(id).inputs[0].node;
  const Node& variable = nodes.node(handle);
  if (state_->outer || variable.op != Op<"VarHandleOp">() || (variable.extra && variable.extra->captured.defined())) return;
  for (int32_t known : state_->initializers)
    if (nodes.node(known).inputs[0].node == handle) return;
  state_->initializers.push_back(id);
}

absl::StatusOr<int32_t> GraphContext::Record(const OpCall& call) {
  const OpSchema& schema = GetOp(call.op);
  RETURN_IF_ERROR(state_->CheckOpen(schema.name()));
  if (!call.name.empty() && !IsNodeName(call.name)) return InvalidArgument(schema.name(), ": \"", Absl(call.name), "\" is no name for a node");
  Node node;
  node.op = call.op;
  node.origin = call.origin;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    ASSIGN_OR_RETURN(const TensorId id, Input(call, call.inputs[i], i));
    node.inputs.push_back(id);
  }
  for (const AttrRef& attr : call.attrs) node.attrs.push_back(AttrValue(attr));
  RETURN_IF_ERROR(AddControls(call, node));
  if (!ScopeChain::Device().empty() || !forward.empty()) {
    auto extra = std::make_shared<NodeExtra>();
    extra->device = ScopeChain::Device();
    extra->forward = forward;
    node.extra = std::move(extra);
  }
  const std::string name = state_->UniqueName(ScopeChain::Prefix() + std::string(call.name.empty() ? std::string_view(schema.name()) : call.name));
  node.name = name;
  // A variable's shared_name is its own name: two variables that the user gave one name are two.
  if (call.op == Op<"VarHandleOp">() && !call.name.empty()) {
    const int i = schema.attrs()[schema.FindAttr("shared_name")].explicit_index;
    if (node.attrs[i].ref().get<std::string_view>() == call.name) node.attrs[i] = AttrValue(AttrRef(name));
  }
  RETURN_IF_ERROR(state_->nodes.Infer(node));
  const int32_t id = state_->Append(std::move(node));
  const size_t initializers = state_->initializers.size();
  if (call.op == Op<"AssignVariableOp">()) NoteInitializer(id);
  // A variable's first value is given once, before any of this runs.
  if (ordered_ && initializers == state_->initializers.size()) Order(state_->nodes.node(id), id);
  return id;
}

absl::Status GraphContext::Dispatch(const OpCall& call, std::span<TensorRep*> outputs) {
  std::unique_lock lock(state_->mutex);
  ASSIGN_OR_RETURN(const int32_t id, Record(call));
  const Node& node = state_->nodes.node(id);
  if (node.outputs.size() != outputs.size())
    return absl::InternalError(absl::StrCat(node.schema().name(), ": has ", node.outputs.size(), " outputs, the caller expects ", outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = state_->Symbol({id, static_cast<int32_t>(i)}).release();
  if (const GradientOverrideFn* gradient = GradientOverride::Find(call.op)) [[unlikely]] {
    Tensors in, out;
    for (const TensorId& t : node.inputs) in.push_back(state_->Symbol(t));
    for (TensorRep* rep : outputs) out.push_back(Tensor::Share(rep));
    SetGradient(id, absl::StrCat("GradientOverride-", Absl(node.name)), GradientOverride::Bind(call.op, *gradient, std::move(in), std::move(out)));
  }
  return absl::OkStatus();
}

void GraphContext::SetGradient(int32_t id, const std::string& base, BackwardFn backward) {
  Node& node = state_->nodes.node(id);
  // Functions share the names of derivatives with the graph around them. (That graph's lock is taken inside this one's.)
  GraphState& root = state_->root();
  std::unique_lock root_lock(root.mutex, std::defer_lock);
  if (&root != state_.get()) root_lock.lock();
  std::string key = base;
  for (int i = 1; root.custom_gradients.contains(key); ++i) key = absl::StrCat(base, "_", i);
  auto extra = MutableExtra(node);
  proto::AttrValue attr;
  attr.set_s(key);
  extra->other_attrs.emplace_back("_gradient_op_type", attr.SerializeAsString());
  node.extra = std::move(extra);
  root.custom_gradients[key] = std::move(backward);
}

absl::Status GraphContext::RecordCustom(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward,
                                        Origin origin) {
  const size_t n = outputs.size();
  Tensors all = outputs;
  all.insert(all.end(), inputs.begin(), inputs.end());
  absl::InlinedVector<TensorRep*, 8> reps, made(all.size(), nullptr);
  for (const Tensor& t : all) {
    if (!t.defined()) return InvalidArgument("CustomGradient: an undefined tensor");
    reps.push_back(t.rep());
  }
  std::unique_lock lock(state_->mutex);
  ASSIGN_OR_RETURN(const int32_t id, Record({Op<"IdentityN">(), reps, {}, origin, name}));
  // Of the node's outputs the first n count; the inputs pass through only so that the derivative knows them.
  SetGradient(id, absl::StrCat("CustomGradient-", Absl(state_->nodes.node(id).name)), [n, num_inputs = inputs.size(), name = std::string(name), backward = std::move(backward)](const Tensors& dy) {
    Tensors dx(n);
    Tensors of_inputs = backward(Tensors(dy.begin(), dy.begin() + n));
    if (of_inputs.size() != num_inputs)
      ThrowError(InvalidArgument(name, ": the backward function gave ", of_inputs.size(), " gradients for ", num_inputs, num_inputs == 1 ? " input" : " inputs"));
    dx.insert(dx.end(), of_inputs.begin(), of_inputs.end());
    return dx;
  });
  for (size_t i = 0; i < n; ++i) outputs[i] = state_->Symbol({id, static_cast<int32_t>(i)});
  return absl::OkStatus();
}

absl::StatusOr<std::string> GraphContext::OwnHostFunction(std::string_view name, HostFunction function) {
  GraphState& root = state_->root();
  std::unique_lock lock(root.mutex);
  const std::string base(name.empty() ? std::string_view("EagerFunc") : name);
  std::string token = base;
  for (int i = 1; root.host_functions.contains(token); ++i) token = absl::StrCat(base, "_", i);
  root.host_functions.emplace(token, std::make_shared<const HostFunction>(std::move(function)));
  return token;
}

GraphContext* CurrentGraphContext() {
  Context& context = CurrentContext();
  return context.executing_eagerly() ? nullptr : dynamic_cast<GraphContext*>(&context.base());
}

}  // namespace tandem
