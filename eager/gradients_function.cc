#include "eager/gradients_function.h"

#include "core/ops/plumbing.h"
#include "core/status.h"
#include "eager/gradient_tape.h"

namespace tandem {
namespace {

// The same value behind a header of its own, so that its gradient is not that of another argument. Tapes outside follow.
Tensor Distinct(const Tensor& t) {
  Tensor copy = Identity(t);
  if (copy.rep() != t.rep() || t.symbolic()) return copy;
  TensorRep& rep = *t.rep();
  TensorRep* view = NewView(rep, rep.dtype, rep.dims_span(), rep.count, rep.data);
  if (!view) ThrowError(absl::ResourceExhaustedError("out of memory"));
  return Tensor::Adopt(view);
}

}  // namespace

ValueAndGradients Differentiate(Tensors arguments, const std::function<Tensor(const Tensors&)>& function) {
  for (size_t i = 0; i < arguments.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (arguments[i].defined() && arguments[i].rep() == arguments[k].rep()) arguments[i] = Distinct(arguments[i]);
  GradientTape tape;
  tape.Watch(Sources(arguments));
  ValueAndGradients out;
  out.value = function(arguments);
  out.gradients = out.value.defined() ? tape.Gradient(out.value, Sources(arguments)) : Tensors(arguments.size());
  return out;
}

}  // namespace tandem
