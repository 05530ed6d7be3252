#include "eager/forward_accumulator.h"

#include "core/ops/likeness.h"
#include "core/status.h"

namespace tandem {

ForwardAccumulator::ForwardAccumulator(const Sources& primals, const Tensors& tangents)
    : tape_({.persistent = true, .watch_accessed_variables = false}), primals_(primals), tangents_(tangents) {
  if (tangents.size() != primals.size())
    ThrowError(InvalidArgument("ForwardAccumulator: ", tangents.size(), " tangents for ", primals.size(), " primals"));
  for (size_t i = 0; i < tangents.size(); ++i) {
    const Source& x = primals[i];
    const Tensor& v = tangents[i];
    if (!x.tensor.defined() || !v.defined())
      ThrowError(absl::FailedPreconditionError(absl::StrCat("ForwardAccumulator: ", v.defined() ? "primal " : "tangent ", i, " is undefined")));
    const Shape shape = x.variable ? x.shape : x.tensor.shape();
    if (v.dtype() != x.dtype || !v.shape().CompatibleWith(shape))
      ThrowError(InvalidArgument("ForwardAccumulator: tangent ", i, " is ", std::string(DTypeName(v.dtype())), v.shape().ToString(), ", its primal is ",
                                 std::string(DTypeName(x.dtype)), shape.ToString()));
  }
  tape_.Watch(primals_);
}

Tensor ForwardAccumulator::Jvp(const Tensor& y, UnconnectedGradients unconnected) {
  if (!y.defined()) ThrowError(absl::FailedPreconditionError("ForwardAccumulator: Jvp of an undefined tensor"));
  const auto pause = tape_.StopRecording();
  const auto nothing = [&] { return unconnected == UnconnectedGradients::kZero ? ZerosLike(y) : Tensor(); };
  if (!IsDifferentiable(y.dtype())) return nothing();
  // dx = Jᵀ dy is linear in dy, so the derivative of <dx, v> by dy is J v, whatever dy is.
  GradientTape linear({.watch_accessed_variables = false});
  const Tensor dy = OnesLike(y);
  linear.Watch(dy);
  const Tensors dx = tape_.Gradient({y}, primals_, {.output_gradients = {dy}});
  Tensors connected, tangents;
  for (size_t i = 0; i < dx.size(); ++i) {
    if (!dx[i].defined()) continue;
    connected.push_back(dx[i]);
    tangents.push_back(tangents_[i]);
  }
  if (connected.empty()) return nothing();
  const Tensor jvp = linear.Gradient(connected, dy, {.output_gradients = tangents});
  return jvp.defined() ? jvp : nothing();
}

}  // namespace tandem
