#include "graph/eager_run.h"

#include "core/context.h"
#include "core/variable_storage.h"
#include "graph/passes/optimizer.h"

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
  if (CallsFunctions(node.schema())) return RunCall(node, in);
  absl::InlinedVector<TensorRep*, 2> out(node.outputs.size(), nullptr);
  const auto attrs = node.attr_refs();
  RETURN_IF_ERROR(CurrentContext().Dispatch({node.op, in, attrs, node.origin, {}}, {out.data(), out.size()}));
  Tensors outputs;
  for (TensorRep* rep : out) outputs.push_back(Tensor::Adopt(rep));
  return outputs;
}

absl::Status EagerRun::RunNodes(const NodeGraph& graph, std::span<const int32_t> order, std::vector<Tensors>& values) {
  for (int32_t id : order) {
    if (!values[id].empty()) continue;
    const Node& node = graph.node(id);
    Tensors inputs;
    for (TensorId t : node.inputs) inputs.push_back(values[t.node][t.output]);
    auto outputs = RunNode(node, inputs);
    if (!outputs.ok()) return WithNode(outputs.status(), absl::StrCat(path_, Absl(node.name)));
    values[id] = *std::move(outputs);
  }
  return absl::OkStatus();
}

// What the kernels of calls see: bodies run node by node too.
class EagerRun::Env final : public KernelEnv, public FunctionRunner {
 public:
  explicit Env(EagerRun& run) : run_(run) {}
  ResourceManager& resources() override { return resources_; }
  absl::Status CallHostFunction(std::string_view token, std::span<const Tensor> inputs, Tensors* outputs) override {
    return RunHostFunction(token, inputs, outputs);
  }
  FunctionRunner* functions() override { return this; }
  absl::StatusOr<std::unique_ptr<FunctionInstance>> Find(const FuncAttr& function, Passing passing) override {
    ASSIGN_OR_RETURN(std::shared_ptr<const GraphFunction> found, run_.graph_->library->Get(function.name));
    return std::make_unique<Instance>(run_, std::move(found), passing);
  }

 private:
  class Instance final : public FunctionInstance {
   public:
    Instance(EagerRun& run, std::shared_ptr<const GraphFunction> function, Passing passing)
        : run_(run), function_(std::move(function)), passing_(passing) {}
    int num_args() const override { return static_cast<int>(function_->args.size()); }
    int num_results() const override { return static_cast<int>(function_->results.size()); }
    absl::Status Call(KernelEnv&, std::span<TensorRep*> args, std::span<TensorRep*> results) override {
      std::vector<Tensors> values(function_->body.size());
      for (size_t i = 0; i < args.size(); ++i)
        values[function_->args[i]] = {passing_ == Passing::kTake ? Tensor::Adopt(std::exchange(args[i], nullptr)) : Tensor::Share(args[i])};
      if (run_.depth_ >= kMaxFunctionDepth)
        return InvalidArgument("function \"", function_->name, "\": calls are nested more than ", kMaxFunctionDepth, " deep; does it call itself for ever?");
      ++run_.depth_;
      const std::string outer = run_.path_, outer_node = run_.node_;
      const bool outer_plain = run_.plain_call_;
      absl::StrAppend(&run_.path_, run_.node_, "/", run_.plain_call_ ? "" : absl::StrCat(function_->name, "/"));
      // As in a Session, what neither results nor control results need is not run.
      GraphRoots roots{function_->args, function_->results, function_->control_results};
      const std::vector<int32_t> keep = PruneMap(function_->body, roots);
      std::vector<int32_t> order;
      for (int32_t id : function_->order)
        if (keep[id] >= 0) order.push_back(id);
      const absl::Status status = run_.RunNodes(function_->body, order, values);
      --run_.depth_;
      run_.path_ = outer;
      run_.node_ = outer_node;
      run_.plain_call_ = outer_plain;
      RETURN_IF_ERROR(status);
      for (size_t i = 0; i < results.size(); ++i) results[i] = Tensor(values[function_->results[i].node][function_->results[i].output]).release();
      return absl::OkStatus();
    }

   private:
    EagerRun& run_;
    const std::shared_ptr<const GraphFunction> function_;
    const Passing passing_;
  };
  EagerRun& run_;
  ResourceManager resources_;
};

absl::StatusOr<Tensors> EagerRun::RunCall(const Node& node, std::span<TensorRep* const> inputs) {
  Env env(*this);
  node_ = std::string(node.name);
  plain_call_ = node.schema().FindAttr("f") >= 0;
  absl::InlinedVector<InferInput, 4> infos;
  for (const TensorRep* rep : inputs) infos.push_back(InferInput::Of(*rep));
  const auto attrs = node.attr_refs();
  InferContext infer(node.schema(), infos, attrs);
  RETURN_IF_ERROR(infer.Run());
  absl::InlinedVector<TensorRep*, 4> out(node.outputs.size(), nullptr);
  KernelCall call(node.schema(), inputs, {out.data(), out.size()}, attrs, &infer.signature(), &env);
  const KernelFn kernel = FindKernel(node.op, infer.signature());
  if (!kernel) return NoKernelError(node.schema(), DType::kInvalid);
  RETURN_IF_ERROR(kernel(call));
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
  RETURN_IF_ERROR(RunNodes(graph, executable->order(), values));
  Tensors fetches;
  for (TensorId t : executable->roots().fetches) fetches.push_back(values[t.node][t.output]);
  return fetches;
}

}  // namespace tandem
