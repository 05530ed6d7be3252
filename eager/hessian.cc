#include "eager/hessian.h"

#include "core/status.h"
#include "eager/gradient_tape.h"

namespace tandem {

Tensor HessianOf(const std::function<Tensor()>& f, const Source& x) {
  GradientTape outer;
  outer.Watch(x);
  Tensor gradient;
  {
    GradientTape inner;
    inner.Watch(x);
    const Tensor y = f();
    gradient = std::move(inner.Gradient(y, Sources{x}, {.unconnected = UnconnectedGradients::kZero})[0]);
  }
  return std::move(outer.Jacobian(gradient, Sources{x}, UnconnectedGradients::kZero)[0]);
}

Tensors HessianVectorProductOf(const std::function<Tensor()>& f, const Sources& xs, const Tensors& vs) {
  if (vs.size() != xs.size()) ThrowError(InvalidArgument("HessianVectorProduct: ", vs.size(), " vectors for ", xs.size(), " sources"));
  GradientTape outer;
  outer.Watch(xs);
  Tensors gradients;
  {
    GradientTape inner;
    inner.Watch(xs);
    const Tensor y = f();
    gradients = inner.Gradient(y, xs, {.unconnected = UnconnectedGradients::kZero});
  }
  // H is symmetric: the derivative of <gradient, v> is H v.
  return outer.Gradient(gradients, xs, {.output_gradients = vs, .unconnected = UnconnectedGradients::kZero});
}

}  // namespace tandem
