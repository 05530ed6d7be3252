#include "graph/capture.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/function.h"
#include "core/gradient.h"
#include "core/ops/functional.h"
#include "core/status.h"
#include "core/variable_storage.h"
#include "graph/function_conversion.h"
#include "graph/graph_context.h"
#include "graph/graph_state.h"

namespace tandem {
namespace {

std::string Text(DType dtype, const Shape& shape) { return absl::StrCat(std::string(DTypeName(dtype)), shape.known_rank() ? shape.ToString() : " of any shape"); }

// "" when it fits, else how it does not. Unknown dimensions of a symbolic argument fit.
std::string Misfit(const Tensor& argument, const TensorSpec& spec) {
  if (argument.dtype() != spec.dtype) return "the dtypes differ";
  if (!spec.shape.known_rank() || argument.rank() < 0) return "";
  if (argument.rank() != spec.shape.rank()) return absl::StrCat("rank ", argument.rank(), " is not ", spec.shape.rank());
  for (int i = 0; i < spec.shape.rank(); ++i)
    if (spec.shape[i] >= 0 && argument.shape()[i] >= 0 && argument.shape()[i] != spec.shape[i])
      return absl::StrCat("dimension ", i, " is ", argument.shape()[i], ", not ", spec.shape[i]);
  return "";
}

// Nodes that run although no result needs them: all with effects but those that give variables their first value.
std::vector<int32_t> Effects(const GraphState& state) {
  std::vector<int32_t> effects;
  for (int32_t id = 0; id < state.nodes.size(); ++id)
    if (state.nodes.node(id).schema().has(kSideEffect) && std::find(state.initializers.begin(), state.initializers.end(), id) == state.initializers.end())
      effects.push_back(id);
  return effects;
}

}  // namespace

// A function is its graph with inputs and outputs; its gradient is another one in the same graph and Session.
struct CapturedFunction::State {
  Graph graph;
  std::string name;
  std::vector<TensorSpec> signature;
  Tensors inputs, outputs;           // of the graph
  std::vector<int32_t> effects;
  std::vector<std::string> input_names, output_names;
  std::shared_ptr<Session> session;
  Callable run;
  int traces = 0;

  // In another graph: by library, what it is there.
  std::mutex mutex;
  std::vector<std::pair<std::weak_ptr<FunctionLibrary>, FunctionOfGraph>> in_libraries;

  // For tapes, made at the first taped call.
  struct Gradient {
    Tensors handles;                 // of the variables the function reads, eager: further sources
    std::vector<int> seeds;          // outputs that have a gradient
    std::vector<int> sources;        // positions among inputs and handles for which a gradient is computed
    size_t num_saved = 0;
    Callable forward;                // inputs to outputs and what the gradient reads of the forward pass
    Callable backward;               // inputs, that, and the outputs' gradients to the sources'
    std::shared_ptr<State> again;    // inputs and the outputs' gradients to the sources' gradients: differentiable once more
  };
  std::shared_ptr<const Gradient> gradient;

  void Prepare();
  const Gradient& GetGradient();
  FunctionOfGraph In(GraphContext& context);
};

void CapturedFunction::State::Prepare() {
  std::vector<TensorName> targets;
  {
    const GraphState& state = graph.state();
    std::shared_lock lock(state.mutex);
    for (const Tensor& t : inputs) input_names.push_back(state.nodes.TensorName(ValueOrThrow(state.IdOf(t, "Capture"))));
    for (const Tensor& t : outputs) output_names.push_back(state.nodes.TensorName(ValueOrThrow(state.IdOf(t, "Capture: output"))));
    for (int32_t id : effects) targets.emplace_back(std::string(state.nodes.node(id).name));
  }
  run = session->MakeCallable({input_names.begin(), input_names.end()}, {output_names.begin(), output_names.end()}, targets);
}

// The function in the library of the graph that is recorded into.
FunctionOfGraph CapturedFunction::State::In(GraphContext& context) {
  std::lock_guard lock(mutex);
  const std::shared_ptr<FunctionLibrary>& library = context.state().library;
  std::erase_if(in_libraries, [](const auto& entry) { return entry.first.expired(); });
  for (const auto& [known, function] : in_libraries)
    if (known.lock() == library) return function;
  std::vector<TensorId> in, out;
  for (const Tensor& t : inputs) in.push_back(ValueOrThrow(graph.state().IdOf(t, "Capture")));
  for (const Tensor& t : outputs) out.push_back(ValueOrThrow(graph.state().IdOf(t, "Capture")));
  // A variable that was made while the function was traced lives in its Session.
  const auto handle_of = [&](const Node& variable) -> absl::StatusOr<Tensor> {
    try {
      return session->Run({}, std::string(variable.name));
    } catch (...) {
      return StatusFromException(std::current_exception());
    }
  };
  FunctionOfGraph made = ValueOrThrow(AddGraphAsFunction(graph.state(), in, out, effects, name, *library, handle_of));
  in_libraries.emplace_back(library, made);
  return made;
}

const CapturedFunction::State::Gradient& CapturedFunction::State::GetGradient() {
  std::lock_guard lock(mutex);
  if (gradient) return *gradient;
  auto made = std::make_shared<Gradient>();
  GraphState& state = graph.state();
  Tensors sources = inputs, seeds, ys;
  int32_t first = 0;
  {
    std::shared_lock shared(state.mutex);
    first = state.nodes.size();
    for (int32_t id = 0; id < first; ++id) {
      const Node& node = state.nodes.node(id);
      if (node.op == Op<"VarHandleOp">() && node.extra && node.extra->captured.defined()) made->handles.push_back(node.extra->captured);
    }
  }
  sources.insert(sources.end(), made->handles.begin(), made->handles.end());
  Tensors dx;
  {
    GraphScope scope(graph);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!IsDifferentiable(outputs[i].dtype())) continue;
      made->seeds.push_back(static_cast<int>(i));
      ys.push_back(outputs[i]);
      seeds.push_back(Placeholder(outputs[i].dtype(), outputs[i].shape(), absl::StrCat("gradient_of_output_", i)));
    }
    if (!ys.empty()) dx = Gradients(ys, sources, seeds);
  }
  auto again = std::make_shared<State>();
  again->graph = graph;
  again->session = session;
  again->name = absl::StrCat(name, "_gradient");
  again->signature = signature;
  again->inputs = inputs;
  for (const Tensor& t : seeds) {
    again->inputs.push_back(t);
    again->signature.push_back({t.dtype(), t.shape(), t.name()});
  }
  for (size_t i = 0; i < dx.size(); ++i) {
    if (!dx[i].defined()) continue;
    made->sources.push_back(static_cast<int>(i));
    again->outputs.push_back(dx[i]);
  }
  // What the gradient's nodes read of those that were there before: the forward pass hands it over.
  std::vector<TensorName> saved, in, out, back_in, back_out, targets;
  {
    std::shared_lock shared(state.mutex);
    std::vector<TensorId> read;
    const auto visit = [&](TensorId t) {
      const Node& from = state.nodes.node(t.node);
      if (t.node >= first || from.op == Op<"Const">() || from.op == Op<"VarHandleOp">() || from.op == Op<"Placeholder">()) return;
      if (std::find(read.begin(), read.end(), t) == read.end()) read.push_back(t);
    };
    for (int32_t id = first; id < state.nodes.size(); ++id)
      for (TensorId t : state.nodes.node(id).inputs) visit(t);
    for (const Tensor& t : again->outputs) visit(ValueOrThrow(state.IdOf(t, "Capture")));
    for (TensorId t : read) saved.emplace_back(state.nodes.TensorName(t));
    for (int32_t id : effects) targets.emplace_back(std::string(state.nodes.node(id).name));
  }
  made->num_saved = saved.size();
  in.assign(input_names.begin(), input_names.end());
  out.assign(output_names.begin(), output_names.end());
  out.insert(out.end(), saved.begin(), saved.end());
  made->forward = session->MakeCallable(in, out, targets);
  if (!again->outputs.empty()) {
    again->Prepare();
    back_in = in;
    back_in.insert(back_in.end(), saved.begin(), saved.end());
    for (const Tensor& t : seeds) back_in.emplace_back(t);
    back_out.assign(again->output_names.begin(), again->output_names.end());
    made->backward = session->MakeCallable(back_in, back_out);
  }
  made->again = std::move(again);
  gradient = std::move(made);
  return *gradient;
}

CapturedFunction CaptureTensors(const std::function<Tensors(const Tensors&)>& function, const std::vector<TensorSpec>& signature,
                                const CaptureOptions& options) {
  auto state = std::make_shared<CapturedFunction::State>();
  state->signature = signature;
  state->name = options.name;
  {
    GraphContext context(RefPtr<GraphState>::Share(&state->graph.state()), /*ordered=*/true);
    ContextScope scope(&context);
    ScopeBarrier barrier;
    for (size_t i = 0; i < signature.size(); ++i) {
      if (state->signature[i].name.empty()) state->signature[i].name = absl::StrCat("arg", i);
      state->inputs.push_back(Placeholder(signature[i].dtype, signature[i].shape, state->signature[i].name));
    }
    ++state->traces;
    state->outputs = function(state->inputs);
    // A result that the function did not compute (an eager tensor, an argument itself) still gets a node to fetch.
    for (size_t i = 0; i < state->outputs.size(); ++i) {
      Tensor& out = state->outputs[i];
      if (!out.defined()) ThrowError(InvalidArgument("Capture: output ", i, " is an undefined tensor"));
      if (!out.symbolic()) out = Constant(out);
    }
  }
  state->session = std::make_shared<Session>(state->graph, options.session);
  // Variables that the function made while it was traced live in the Session.
  if (!state->graph.state().initializers.empty()) state->session->Run({}, std::vector<TensorName>{}, {TensorName(state->graph.Initializer())});
  state->effects = Effects(state->graph.state());
  state->Prepare();
  CapturedFunction captured;
  captured.state_ = std::move(state);
  return captured;
}

Tensors CapturedFunction::Call(const Tensors& arguments, Origin origin) const {
  if (!state_) ThrowError(absl::FailedPreconditionError("CapturedFunction: nothing was captured"));
  const std::vector<TensorSpec>& signature = state_->signature;
  if (arguments.size() != signature.size())
    ThrowError(InvalidArgument("Capture: the signature has ", signature.size(), signature.size() == 1 ? " argument" : " arguments", ", the call ", arguments.size()));
  GraphContext* const graph = CurrentGraphContext();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].defined()) ThrowError(InvalidArgument("Capture: argument ", i, " (", signature[i].name, ") is an undefined tensor"));
    if (arguments[i].symbolic() && !graph)
      ThrowError(absl::FailedPreconditionError(absl::StrCat("Capture: argument ", i, " (", signature[i].name, ") is a tensor of a graph, and no GraphScope of that graph is open")));
    if (const std::string misfit = Misfit(arguments[i], signature[i]); !misfit.empty())
      ThrowError(InvalidArgument("Capture: argument ", i, " (", signature[i].name, ") is ", Text(arguments[i].dtype(), arguments[i].shape()),
                                 ", the signature says ", Text(signature[i].dtype, signature[i].shape), ": ", misfit));
  }
  if (graph) {
    const FunctionOfGraph function = state_->In(*graph);
    Tensors args = arguments;
    args.insert(args.end(), function.captures.begin(), function.captures.end());
    return CallFunction(function.func, args, function.results, function.stateful, origin);
  }
  Context& context = CurrentContext();
  if (&context.base() == &context) return state_->run(arguments);
  return Taped(arguments, origin);
}

// Tapes see the call as one record whose derivative is the captured gradient.
Tensors CapturedFunction::Taped(const Tensors& arguments, Origin origin) const {
  const State::Gradient& gradient = state_->GetGradient();
  Tensors all = gradient.forward(arguments);
  const auto num_outputs = static_cast<ptrdiff_t>(state_->outputs.size());
  Tensors outputs(all.begin(), all.begin() + num_outputs), inputs = arguments;
  inputs.insert(inputs.end(), gradient.handles.begin(), gradient.handles.end());
  std::vector<std::pair<DType, Shape>> kinds;
  for (const Tensor& t : outputs) kinds.emplace_back(t.dtype(), t.shape());
  BackwardFn backward = [state = state_, &gradient, arguments, saved = Tensors(all.begin() + num_outputs, all.end()), kinds](const Tensors& dy) {
    Tensors dx(arguments.size() + gradient.handles.size());
    if (gradient.sources.empty()) return dx;
    Tensors in = arguments, seeds;
    for (int i : gradient.seeds) seeds.push_back(dy[i].defined() ? dy[i] : ZerosOfShape(kinds[i].first, kinds[i].second));
    const Context& context = CurrentContext();
    const bool taped = &const_cast<Context&>(context).base() != &context;
    Tensors got;
    if (taped) {  // a derivative of the derivative: the forward pass is part of it once more
      in.insert(in.end(), seeds.begin(), seeds.end());
      CapturedFunction again;
      again.state_ = gradient.again;
      got = again.Call(in);
    } else {
      in.insert(in.end(), saved.begin(), saved.end());
      in.insert(in.end(), seeds.begin(), seeds.end());
      got = gradient.backward(in);
    }
    for (size_t k = 0; k < gradient.sources.size(); ++k) dx[gradient.sources[k]] = std::move(got[k]);
    return dx;
  };
  ThrowIfError(CurrentContext().RecordCustom(state_->name, inputs, outputs, std::move(backward), origin));
  return outputs;
}

Tensor CapturedFunction::Single(const Tensors& arguments) const {
  if (state_ && state_->output_names.size() != 1)
    ThrowError(InvalidArgument("Capture: the function has ", state_->output_names.size(), " outputs; use Call()"));
  return std::move(Call(arguments)[0]);
}

Graph CapturedFunction::graph() const { return state_->graph; }
const std::vector<std::string>& CapturedFunction::input_names() const { return state_->input_names; }
const std::vector<std::string>& CapturedFunction::output_names() const { return state_->output_names; }
int CapturedFunction::traces() const { return state_->traces; }
int64_t CapturedFunction::plans() const { return state_->session->statistics().plans; }

}  // namespace tandem
