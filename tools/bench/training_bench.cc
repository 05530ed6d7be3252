#include <cstring>

#include "core/kernel.h"
#include "eager/eager_call.h"
#include "tandem.h"
#include "tools/bench/bench.h"

namespace tandem::bench {
namespace {

using Variables = std::vector<Variable>;

Tensor Noise(const Ints& shape) { return RandomNormal(shape, 0., 0.05, {.seed = 1}); }

// Steps of Adam over `count` variables of `size` floats each.
auto AdamSteps(int count, int64_t size) {
  Variables variables;
  Tensors gradients;
  for (int i = 0; i < count; ++i) {
    variables.emplace_back(Noise({size}));
    gradients.push_back(Noise({size}));
  }
  return [variables, gradients, optimizer = std::make_shared<train::AdamOptimizer>()] { optimizer->ApplyGradients(gradients, variables); };
}

Measured ManyTensorAdam() { return Compare(AdamSteps(200, 1024), AdamSteps(1, 204800)); }

// Adam reads four arrays and writes three; a copy of 3.5 arrays moves as much.
Measured LargeAdam() {
  constexpr int64_t kSize = 1 << 20;
  std::vector<float> from(kSize * 7 / 2, 1.f), to(from.size());
  return Compare(AdamSteps(1, kSize), [&] { std::memcpy(to.data(), from.data(), from.size() * sizeof(float)); });
}

// 784-256-128-10.
struct Mlp {
  Variables variables;
  Mlp() {
    for (const Ints& shape : {Ints{784, 256}, Ints{256}, Ints{256, 128}, Ints{128}, Ints{128, 10}, Ints{10}}) variables.emplace_back(Noise(shape));
  }
  Tensor Loss(const Tensor& x, const Tensor& labels) const {
    const auto dense = [&](const Tensor& t, int i) { return BiasAdd(MatMul(t, variables[i]), variables[i + 1]); };
    return Mean(SparseSoftmaxCrossEntropyWithLogits(dense(Relu(dense(Relu(dense(x, 0)), 2)), 4), labels).loss);
  }
};

auto EagerStep(int64_t batch) {
  return [mlp = Mlp(), x = Noise({batch, 784}), labels = RandomUniformInt({batch}, 0, 10, 7),
          optimizer = std::make_shared<train::GradientDescentOptimizer>(0.01)] {
    GradientTape tape;
    const Tensor loss = mlp.Loss(x, labels);
    optimizer->ApplyGradients(tape.Gradient(loss, mlp.variables), mlp.variables);
  };
}

auto CapturedStep(int64_t batch) {
  const Mlp mlp;
  const Tensor x = Noise({batch, 784}), labels = RandomUniformInt({batch}, 0, 10, 7);
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor images = Placeholder(kFloat32, {batch, 784}, "x"), y = Placeholder(labels.dtype(), {batch}, "y");
    const Tensor loss = mlp.Loss(images, y);
    ControlDependencies after({train::GradientDescentOptimizer(0.01).Minimize(loss)});
    Identity(loss, "loss");
  }
  const auto session = std::make_shared<Session>(graph);
  const Callable step = session->MakeCallable({"x:0", "y:0"}, {"loss:0"});
  return [session, step, feeds = Tensors{x, labels}, loss = std::make_shared<Tensor>()] { step.Run(feeds, {loss.get(), 1}); };
}

// What an eager step dispatches, to be run again without dispatch: on the same tensors, each kernel by a bare call.
class Recorder : public Context {
 public:
  absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) override {
    RETURN_IF_ERROR(eager_.Dispatch(call, outputs));
    const OpSchema& schema = GetOp(call.op);
    if (schema.traits() & (kView | kAlias)) return absl::OkStatus();  // no work of its own
    auto bare = std::make_unique<Bare>(Bare{&schema});
    for (TensorRep* rep : call.inputs) bare->inputs.push_back(rep);
    for (TensorRep* rep : outputs) bare->outputs.push_back(rep);
    for (const auto* reps : {&bare->inputs, &bare->outputs})
      for (TensorRep* rep : *reps) kept_.push_back(Tensor::Share(rep));
    for (const AttrRef& attr : call.attrs) bare->values.emplace_back(attr);
    for (const AttrValue& value : bare->values) bare->attrs.push_back(value.ref());
    absl::InlinedVector<InferInput, 4> inputs;
    RETURN_IF_ERROR(EagerInferInputs(call, &inputs));
    InferContext infer(schema, inputs, bare->attrs);
    RETURN_IF_ERROR(infer.Run());
    bare->signature = infer.signature();
    bare->kernel = FindKernel(call.op, bare->signature);
    calls_.push_back(std::move(bare));
    return absl::OkStatus();
  }
  bool executing_eagerly() const override { return true; }
  absl::Status RecordCustom(std::string_view, const Tensors&, Tensors&, BackwardFn, Origin) override { return absl::OkStatus(); }

  void RunBare() {
    for (const auto& bare : calls_) {
      KernelCall call(*bare->schema, bare->inputs, bare->outputs, bare->attrs, &bare->signature, &EagerKernelEnv());
      if (!bare->kernel(call).ok()) throw std::runtime_error("a bare kernel failed");
    }
  }

 private:
  struct Bare {
    const OpSchema* schema;
    std::vector<TensorRep*> inputs, outputs;
    std::vector<AttrValue> values;
    std::vector<AttrRef> attrs;
    CallSignature signature;
    KernelFn kernel = nullptr;
  };
  Context& eager_ = CurrentContext();
  std::vector<std::unique_ptr<Bare>> calls_;
  Tensors kept_;
};

// The kernels of one step: forward, backward, and one update for each variable.
auto BareStep(int64_t batch) {
  const auto recorder = std::make_shared<Recorder>();
  const auto mlp = std::make_shared<Mlp>();
  const Tensor x = Noise({batch, 784}), labels = RandomUniformInt({batch}, 0, 10, 7), rate = 0.01f;
  ContextScope scope(recorder.get());
  GradientTape tape;
  const Tensor loss = mlp->Loss(x, labels);
  const Tensors gradients = tape.Gradient(loss, mlp->variables);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Tensor inputs[] = {mlp->variables[i].handle(), rate, gradients[i]};
    RunMany(Op<"ResourceApplyGradientDescent">(), inputs, {false});
  }
  return [recorder, mlp] { recorder->RunBare(); };
}

}  // namespace

std::vector<Bench> TrainingBenches() {
  return {
      {"adam_200x1024", "Adam over 200 variables of 1,024 floats / over one of 204,800", 1.5, ManyTensorAdam, true},
      {"adam_1m", "Adam over 1,048,576 floats / a copy that moves as many bytes", 1.5, LargeAdam, true},
      {"mlp_step_eager_b64", "a training step of 784-256-128-10, batch 64, eager with a tape / its kernels run bare", 1.5,
       [] { return Compare(EagerStep(64), BareStep(64)); }},
      {"mlp_step_captured_b64", "the same in a Session / its kernels run bare", 1.2, [] { return Compare(CapturedStep(64), BareStep(64)); }},
      {"mlp_step_eager_b1", "the same eagerly at batch 1 / its kernels run bare", 1.5, [] { return Compare(EagerStep(1), BareStep(1)); }},
      {"mlp_step_captured_b1", "in a Session at batch 1 / eagerly", 0.6, [] { return Compare(CapturedStep(1), EagerStep(1)); }},
  };
}

}  // namespace tandem::bench
