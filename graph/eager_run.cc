#include "graph/eager_run.h"

#include "core/context.h"

namespace tandem {

absl::StatusOr<Tensors> EagerRun::RunNode(const Node& node, const Tensors& inputs) {
  if (node.op == Op<"VarHandleOp">()) {
    if (node.extra && node.extra->captured.defined()) return Tensors{node.extra->captured};
    Tensor& handle = handles_[absl::StrCat(std::string(node.attr("container").get<std::string_view>()), "/",
                                           std::string(node.attr("shared_name").get<std::string_view>()))];
    if (handle.defined()) return Tensors{handle};
    TensorRep* out = nullptr;
    RETURN_IF_ERROR(CurrentContext().Dispatch({node.op, {}, node.attr_refs(), node.origin, {}}, {&out, 1}));
    handle = Tensor::Adopt(out);
    return Tensors{handle};
  }
  if (node.op == Op<"EagerPyFunc">()) {
    const auto token = node.attr("token").get<std::string_view>();
    std::shared_ptr<const HostFunction> own;
    {
      std::shared_lock lock(graph_->mutex);
      if (const auto it = graph_->host_functions.find(token); it != graph_->host_functions.end()) own = it->second;
    }
    Tensors outputs;
    RETURN_IF_ERROR(own ? RunHostFunction(*own, token, inputs, &outputs) : RunHostFunction(token, inputs, &outputs));
    return outputs;
  }
  absl::InlinedVector<TensorRep*, 4> in;
  for (const Tensor& t : inputs) in.push_back(t.rep());
  absl::InlinedVector<TensorRep*, 2> out(node.outputs.size(), nullptr);
  const auto attrs = node.attr_refs();
  RETURN_IF_ERROR(CurrentContext().Dispatch({node.op, in, attrs, node.origin, {}}, {out.data(), out.size()}));
  Tensors outputs;
  for (TensorRep* rep : out) outputs.push_back(Tensor::Adopt(rep));
  return outputs;
}

absl::StatusOr<Tensors> EagerRun::Run(const RunSignature& signature, const Tensors& feeds) {
  SessionOptions plain;
  plain.level = OptLevel::kO0;
  ASSIGN_OR_RETURN(const std::shared_ptr<Executable> executable, Executable::Make(*graph_, signature, plain, false));
  absl::InlinedVector<TensorRep*, 8> reps;
  for (const Tensor& t : feeds) reps.push_back(t.rep());
  RETURN_IF_ERROR(executable->CheckFeeds(reps));
  const NodeGraph& graph = executable->graph();
  std::vector<Tensors> values(graph.size());
  for (size_t i = 0; i < executable->roots().feeds.size(); ++i)
    values[executable->roots().feeds[i]] = {feeds[executable->feed_positions()[i]]};
  ContextScope eager(nullptr);
  for (int32_t id : executable->order()) {
    if (!values[id].empty()) continue;  // fed
    const Node& node = graph.node(id);
    Tensors inputs;
    for (TensorId t : node.inputs) inputs.push_back(values[t.node][t.output]);
    auto outputs = RunNode(node, inputs);
    if (!outputs.ok()) return WithNode(outputs.status(), node.name);
    values[id] = *std::move(outputs);
  }
  Tensors fetches;
  for (TensorId t : executable->roots().fetches) fetches.push_back(values[t.node][t.output]);
  return fetches;
}

}  // namespace tandem
