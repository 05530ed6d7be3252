#include "graph/capture.h"

#include "core/status.h"
#include "graph/graph_state.h"

namespace tandem {
namespace {

std::string Text(DType dtype, const Shape& shape) { return absl::StrCat(std::string(DTypeName(dtype)), shape.known_rank() ? shape.ToString() : " of any shape"); }

// "" when it fits, else how it does not.
std::string Misfit(const Tensor& argument, const TensorSpec& spec) {
  if (argument.dtype() != spec.dtype) return "the dtypes differ";
  if (!spec.shape.known_rank()) return "";
  if (argument.rank() != spec.shape.rank()) return absl::StrCat("rank ", argument.rank(), " is not ", spec.shape.rank());
  for (int i = 0; i < spec.shape.rank(); ++i)
    if (spec.shape[i] >= 0 && argument.shape()[i] != spec.shape[i]) return absl::StrCat("dimension ", i, " is ", argument.shape()[i], ", not ", spec.shape[i]);
  return "";
}

}  // namespace

struct CapturedFunction::State {
  Graph graph;
  std::vector<TensorSpec> signature;
  std::vector<std::string> input_names, output_names;
  std::unique_ptr<Session> session;
  Callable run;
  int traces = 0;
};

CapturedFunction CaptureTensors(const std::function<Tensors(const Tensors&)>& function, const std::vector<TensorSpec>& signature,
                                const CaptureOptions& options) {
  auto state = std::make_shared<CapturedFunction::State>();
  state->signature = signature;
  Tensors inputs, outputs;
  {
    GraphScope scope(state->graph);
    for (size_t i = 0; i < signature.size(); ++i) {
      if (state->signature[i].name.empty()) state->signature[i].name = absl::StrCat("arg", i);
      inputs.push_back(Placeholder(signature[i].dtype, signature[i].shape, state->signature[i].name));
    }
    ++state->traces;
    outputs = function(inputs);
    // A result that the function did not compute (an eager tensor, an argument itself) still gets a node to fetch.
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].defined()) ThrowError(InvalidArgument("Capture: output ", i, " is an undefined tensor"));
      if (!outputs[i].symbolic()) outputs[i] = Constant(outputs[i]);
    }
  }
  std::vector<TensorName> feeds, fetches;
  {
    const GraphState& graph = state->graph.state();
    std::shared_lock lock(graph.mutex);
    for (const Tensor& t : inputs) state->input_names.push_back(graph.nodes.TensorName(ValueOrThrow(graph.IdOf(t, "Capture"))));
    for (const Tensor& t : outputs) state->output_names.push_back(graph.nodes.TensorName(ValueOrThrow(graph.IdOf(t, "Capture: output"))));
  }
  feeds.assign(state->input_names.begin(), state->input_names.end());
  fetches.assign(state->output_names.begin(), state->output_names.end());
  state->session = std::make_unique<Session>(state->graph, options.session);
  // Variables that the function made while it was traced live in the Session.
  if (!state->graph.state().initializers.empty()) state->session->Run({}, std::vector<TensorName>{}, {TensorName(state->graph.Initializer())});
  state->run = state->session->MakeCallable(feeds, fetches);
  CapturedFunction captured;
  captured.state_ = std::move(state);
  return captured;
}

Tensors CapturedFunction::Call(const Tensors& arguments) const {
  if (!state_) ThrowError(absl::FailedPreconditionError("CapturedFunction: nothing was captured"));
  const std::vector<TensorSpec>& signature = state_->signature;
  if (arguments.size() != signature.size())
    ThrowError(InvalidArgument("Capture: the signature has ", signature.size(), signature.size() == 1 ? " argument" : " arguments", ", the call ", arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].defined()) ThrowError(InvalidArgument("Capture: argument ", i, " (", signature[i].name, ") is an undefined tensor"));
    if (arguments[i].symbolic())
      ThrowError(absl::FailedPreconditionError(absl::StrCat("Capture: argument ", i, " (", signature[i].name, ") is a tensor of a graph; a captured function runs, it takes values")));
    if (const std::string misfit = Misfit(arguments[i], signature[i]); !misfit.empty())
      ThrowError(InvalidArgument("Capture: argument ", i, " (", signature[i].name, ") is ", Text(arguments[i].dtype(), arguments[i].shape()),
                                 ", the signature says ", Text(signature[i].dtype, signature[i].shape), ": ", misfit));
  }
  return state_->run(arguments);
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
