// Tracing: C++ callables become functions of the library, and functions become nodes of the graph again.
#include <algorithm>

#include "core/gradient.h"
#include "core/scopes.h"
#include "core/variable_storage.h"
#include "graph/graph.h"
#include "graph/graph_context.h"

namespace tandem {
namespace {

// A part of a name that an argument may have.
std::string ArgName(std::string_view text) {
  std::string name(text.substr(text.rfind('/') == text.npos ? 0 : text.rfind('/') + 1));
  if (const size_t colon = name.find(':'); colon != name.npos) name.resize(colon);
  return IsNodeName(name) ? name : "capture";
}

HandleInfo OuterHandle(const Tensor& t) {
  if (t.dtype() != kResource) return {};
  if (!t.symbolic()) {
    auto storage = GetVariable(*t.rep(), "capture");
    return storage.ok() ? (*storage)->info() : HandleInfo{};
  }
  const auto* state = static_cast<const GraphState*>(GraphOf(t));
  if (!state) return {};
  std::shared_lock lock(state->mutex);
  const SymbolicData& symbol = t.rep()->symbol();
  const Node& node = state->nodes.node(symbol.node);
  return node.extra && static_cast<size_t>(symbol.output) < node.extra->handles.size() ? node.extra->handles[symbol.output] : HandleInfo{};
}

// Nodes that run although nothing reads them.
bool HasEffect(const Node& node) {
  const uint32_t traits = node.schema().traits();
  return (traits & kSideEffect) || ((traits & kStateful) && !(traits & (kAlias | kRandom)));
}

// One function while it is traced.
struct Traced {
  Traced(GraphContext& outer) : state(new GraphState(RefPtr<GraphState>::Share(&outer.state()))), context(RefPtr<GraphState>::Share(state.get())) {}
  RefPtr<GraphState> state;
  GraphContext context;
  std::vector<int32_t> args;
  std::vector<TensorId> results;
};

std::shared_ptr<GraphFunction> Finish(Traced& traced, const FunctionToTrace& spec, std::span<const Tensor> captures, FunctionLibrary& library) {
  auto function = std::make_shared<GraphFunction>();
  for (const Tensor& capture : captures) {
    std::unique_lock lock(traced.state->mutex);
    const int32_t arg = ValueOrThrow(traced.context.CaptureArg(capture));
    traced.args.push_back(arg);
    if (spec.returns_captures) traced.results.push_back({arg, 0});
  }
  std::unique_lock lock(traced.state->mutex);
  function->name = library.UniqueName(spec.name);
  function->body = traced.state->nodes;
  function->args = traced.args;
  function->results = traced.results;
  function->traced_from = traced.state->serial;
  function->order = ValueOrThrow(function->body.TopologicalOrder());
  for (int32_t arg : function->args) function->arg_types.push_back(function->body.node(arg).outputs[0].dtype);
  for (size_t i = 0; i < function->results.size(); ++i) {
    function->result_types.push_back(function->body.output(function->results[i]).dtype);
    function->result_names.push_back(i == 0 ? "output" : absl::StrCat("output_", i));
  }
  for (int32_t id = 0; id < function->body.size(); ++id) {
    if (!HasEffect(function->body.node(id))) continue;
    function->control_results.push_back(id);
    function->control_names.emplace_back(function->body.node(id).name);
  }
  return function;
}

}  // namespace

absl::StatusOr<int32_t> GraphContext::AddArg(DType dtype, const Shape& shape, std::string_view base, const HandleInfo* handle) {
  const std::string name = state_->UniqueName(base);
  Node node;
  node.op = Op<"_Arg">();
  node.name = name;
  for (const OpAttr& attr : node.schema().attrs()) {
    if (attr.explicit_index < 0) continue;
    node.attrs.push_back(attr.kind == AttrKind::kType ? AttrValue(AttrRef(dtype)) : AttrValue(AttrRef(num_args_)));
  }
  ++num_args_;
  node.outputs = {{dtype, shape}};
  if (handle && handle->dtype != DType::kInvalid) {
    auto extra = std::make_shared<NodeExtra>();
    extra->handles = {*handle};
    node.extra = std::move(extra);
  }
  return state_->Append(std::move(node));
}

absl::StatusOr<int32_t> GraphContext::CaptureArg(const Tensor& outside) {
  std::pair<const void*, int64_t> key;
  std::string name;
  if (outside.symbolic()) {
    const SymbolicData& symbol = outside.rep()->symbol();
    key = {symbol.graph, int64_t{symbol.node} << 32 | symbol.output};
    name = ArgName(static_cast<const SymbolicGraph*>(GraphOf(outside))->TensorName(symbol.node, symbol.output));
  } else {
    ASSIGN_OR_RETURN(VariableStorage* storage, GetVariable(*outside.rep(), "capture"));
    key = {outside.rep()->as<ResourceBase*>()[0], -1};
    name = ArgName(storage->name());
  }
  const auto [it, added] = capture_of_.try_emplace(key, static_cast<int32_t>(captures_.size()));
  if (!added) return captures_[it->second].arg;
  const HandleInfo handle = OuterHandle(outside);
  ASSIGN_OR_RETURN(const int32_t arg, AddArg(outside.dtype(), outside.shape(), name, &handle));
  captures_.push_back({outside, arg});
  if (!outside.symbolic()) state_->captured[outside.rep()->as<ResourceBase*>()[0]] = arg;
  return arg;
}

absl::StatusOr<TensorId> GraphContext::Result(const Tensor& tensor, std::string_view what) {
  if (!tensor.defined()) return InvalidArgument(Absl(what), ": an undefined tensor");
  std::unique_lock lock(state_->mutex);
  return Input(OpCall{Op<"Identity">(), {}, {}, Origin(), {}}, tensor.rep(), 0);
}

void GraphContext::Order(Node& node, int32_t id) {
  const uint32_t traits = node.schema().traits();
  if (!(traits & (kStateful | kSideEffect)) || node.op == Op<"_Arg">()) return;
  const auto after = [&](int32_t earlier) {
    if (earlier >= 0 && std::find(node.controls.begin(), node.controls.end(), earlier) == node.controls.end()) node.controls.push_back(earlier);
  };
  bool handles = false;
  for (const TensorId& t : node.inputs) {
    if (state_->nodes.output(t).dtype != kResource) continue;
    handles = true;
    Uses& uses = uses_[t];
    after(uses.last_write);
    if (traits & kSideEffect) {
      for (int32_t read : uses.reads) after(read);
      uses.reads.clear();
      uses.last_write = id;
    } else {
      uses.reads.push_back(id);
    }
  }
  if (!handles && HasEffect(node)) {
    after(last_effect_);
    last_effect_ = id;
  }
}

TracedFunctions GraphContext::Trace(const std::vector<FunctionToTrace>& specs) {
  std::vector<std::unique_ptr<Traced>> traced;
  for (const FunctionToTrace& spec : specs) {
    Traced& t = *traced.emplace_back(std::make_unique<Traced>(*this));
    Tensors args;
    {
      for (size_t i = 0; i < spec.like.size(); ++i) {
        const Tensor& like = spec.like[i];
        if (!like.defined()) ThrowError(InvalidArgument(spec.name, ": argument ", i, " is an undefined tensor"));
        const HandleInfo handle = OuterHandle(like);
        std::unique_lock lock(t.state->mutex);
        t.args.push_back(ValueOrThrow(t.context.AddArg(like.dtype(), i < spec.shapes.size() ? spec.shapes[i] : like.shape(), absl::StrCat("arg", i), &handle)));
        args.push_back(t.state->Symbol({t.args.back(), 0}));
      }
      ContextScope scope(&t.context);
      ScopeBarrier barrier;
      const Tensors results = spec.function(args);
      for (size_t i = 0; i < results.size(); ++i) t.results.push_back(ValueOrThrow(t.context.Result(results[i], absl::StrCat(spec.name, ": result ", i))));
    }
  }
  TracedFunctions out;
  absl::flat_hash_map<std::pair<const void*, int64_t>, bool> seen;
  for (const auto& t : traced)
    for (const Capture& c : t->context.captures()) {
      const bool symbolic = c.outside.symbolic();
      const std::pair<const void*, int64_t> key = symbolic ? std::pair<const void*, int64_t>{c.outside.rep()->symbol().graph, int64_t{c.outside.rep()->symbol().node} << 32 | c.outside.rep()->symbol().output}
                                                           : std::pair<const void*, int64_t>{c.outside.rep()->as<ResourceBase*>()[0], -1};
      if (seen.emplace(key, true).second) out.captures.push_back(c.outside);
    }
  std::vector<std::shared_ptr<GraphFunction>> functions;
  for (size_t i = 0; i < specs.size(); ++i) functions.push_back(Finish(*traced[i], specs[i], out.captures, *state_->library));
  ThrowIfError(state_->library->Add(functions));
  for (const auto& f : functions) {
    TracedFunction& made = out.functions.emplace_back();
    made.func.name = f->name;
    made.dtypes = f->result_types;
    for (TensorId t : f->results) made.shapes.push_back(f->body.output(t).shape);
    made.stateful = f->stateful;
  }
  return out;
}

Tensors GraphContext::Inline(const FuncAttr& name, const Tensors& args) {
  const std::shared_ptr<const GraphFunction> function = ValueOrThrow(state_->library->Get(name.name));
  if (args.size() != function->args.size())
    ThrowError(InvalidArgument("function \"", function->name, "\" takes ", function->args.size(), " tensors, it is passed ", args.size()));
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < args.size(); ++i) {
    inputs.push_back(ValueOrThrow(Result(args[i], absl::StrCat("function \"", function->name, "\": argument ", i))));
    if (args[i].dtype() != function->arg_types[i])
      ThrowError(InvalidArgument("function \"", function->name, "\": argument ", i, " is ", std::string(DTypeName(args[i].dtype())), ", it takes ",
                                 std::string(DTypeName(function->arg_types[i]))));
  }
  const NodeGraph& body = function->body;
  std::vector<int32_t> made(body.size(), -1);
  std::vector<TensorId> arg_of(body.size());
  std::vector<bool> is_arg(body.size(), false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    arg_of[function->args[i]] = inputs[i];
    is_arg[function->args[i]] = true;
    if (inputs[i].output == 0) made[function->args[i]] = inputs[i].node;
  }
  const auto here = [&](TensorId t) { return is_arg[t.node] ? arg_of[t.node] : TensorId{made[t.node], t.output}; };
  std::unique_lock lock(state_->mutex);
  ThrowIfError(state_->CheckOpen("Inline"));
  for (int32_t id : function->order) {
    if (is_arg[id]) continue;
    Node node = body.node(id);
    const std::string unique = state_->UniqueName(ScopeChain::Prefix() + std::string(node.name));
    node.name = unique;
    for (TensorId& t : node.inputs) t = here(t);
    absl::InlinedVector<int32_t, 1> controls;
    for (int32_t c : node.controls)
      if (!is_arg[c]) controls.push_back(made[c]);
    node.controls = std::move(controls);
    // What is known of the arguments here may be more than where the body was traced; an error stays the run's.
    if (!node.inputs.empty()) state_->nodes.Infer(node).IgnoreError();
    made[id] = state_->Append(std::move(node));
    if (ordered_) Order(state_->nodes.node(made[id]), made[id]);
  }
  if (function->traced_from) inlined_[function->traced_from] = made;
  Tensors results;
  for (TensorId t : function->results) results.push_back(state_->Symbol(here(t)));
  return results;
}

Tensors GraphContext::GradientsOf(const Tensors& ys, const Tensors& xs, const Tensors& dys) { return Gradients(ys, xs, dys); }

std::vector<std::pair<DType, Shape>> GraphContext::ResultsOf(const FuncAttr& name, const std::vector<Shape>& args) {
  const std::shared_ptr<const GraphFunction> function = ValueOrThrow(state_->library->Get(name.name));
  std::vector<InferInput> inputs;
  for (size_t i = 0; i < function->arg_types.size(); ++i) {
    InferInput& in = inputs.emplace_back();
    in.dtype = function->arg_types[i];
    if (i >= args.size()) continue;
    in.dims = args[i].begin();
    in.rank = args[i].rank();
  }
  std::vector<std::pair<DType, Shape>> results;
  for (InferOutput& out : InferResults(*function, inputs)) results.emplace_back(out.dtype, std::move(out.shape));
  return results;
}

bool GraphContext::IsStateful(const FuncAttr& name) { return ValueOrThrow(state_->library->Get(name.name))->stateful; }

std::vector<DType> GraphContext::ArgumentsOf(const FuncAttr& name) { return ValueOrThrow(state_->library->Get(name.name))->arg_types; }

}  // namespace tandem
