#include "eager/recompute.h"

#include "core/context.h"
#include "core/gradient.h"
#include "core/ops/plumbing.h"
#include "core/status.h"
#include "eager/gradient_tape.h"

namespace tandem::recompute {
namespace {

Sources AllOf(const Tensors& inputs, const Tensors& handles) {
  Tensors all = inputs;
  all.insert(all.end(), handles.begin(), handles.end());
  return Sources(all);
}

// In a graph, reading the inputs through a node that also reads dy keeps what is computed from them apart from the forward
// pass, which an optimiser would else merge it with.
Tensors BehindGradients(const Tensors& inputs, const Tensors& dy) {
  Tensors all = inputs;
  for (const Tensor& t : dy)
    if (t.defined()) all.push_back(t);
  Tensors behind = IdentityN(all);
  behind.resize(inputs.size());
  return behind;
}

}  // namespace

Tensors Run(const std::shared_ptr<const Function>& function, const Tensors& inputs, Origin origin) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].defined()) ThrowError(InvalidArgument("Recompute: input ", i, " is an undefined tensor"));
  Tensors outputs, handles;
  {
    // Unseen by the tapes around; one of its own tells the variables that the function reads.
    ContextScope bare(&CurrentContext().base());
    GradientTape probe;
    outputs = (*function)(inputs);
    handles = probe.watched_handles();
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].defined()) ThrowError(InvalidArgument("Recompute: result ", i, " is an undefined tensor"));
  Tensors sources = inputs;
  sources.insert(sources.end(), handles.begin(), handles.end());
  BackwardFn backward = [function, inputs, handles](const Tensors& dy) {
    const Tensors again = ExecutingEagerly() || inputs.empty() ? inputs : BehindGradients(inputs, dy);
    GradientTape tape;
    tape.Watch(AllOf(again, handles));
    const Tensors ys = (*function)(again);
    Tensors reached, seeds;
    for (size_t i = 0; i < ys.size(); ++i) {
      if (!dy[i].defined() || !IsDifferentiable(ys[i].dtype())) continue;
      reached.push_back(ys[i]);
      seeds.push_back(dy[i]);
    }
    if (reached.empty()) return Tensors(again.size() + handles.size());
    return tape.Gradient(reached, AllOf(again, handles), {.output_gradients = seeds});
  };
  ThrowIfError(CurrentContext().RecordCustom("Recompute", sources, outputs, std::move(backward), origin));
  return outputs;
}

}  // namespace tandem::recompute
