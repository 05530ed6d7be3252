// Forward-mode differentiation: how a result moves when the inputs move along given tangents.
//
//   ForwardAccumulator acc(x, v);          // or acc({x, w}, {v, dw}), tensors and variables
//   Tensor y = f(x);
//   Tensor dy = acc.Jvp(y);                // (dy/dx) v: one number for each of y's
//
//   GradientTape tape;                     // forward over reverse: H v
//   Tensor loss = f(x);
//   Tensor hv = acc.Jvp(tape.Gradient(loss, x));
//
// It records from construction to the end of its scope what is computed from its primals, as a tape does, and the rules of
// tapes hold: one thread, scopes in reverse order. Jvp differentiates the backward pass, which is linear in what it is
// given (J. Townsend, "A new trick for calculating Jacobian vector products", 2017), so every op with a gradient that is
// itself differentiable has a Jvp, in both modes; tapes and accumulators around it record it.
#pragma once
#include "core/export.h"
#include "eager/gradient_tape.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class ForwardAccumulator {
 public:
  // INVALID_ARGUMENT when a tangent has not its primal's dtype and shape, or their numbers differ.
  template <SourceLike T>
  ForwardAccumulator(const T& primal, const Tensor& tangent) : ForwardAccumulator(Sources{primal}, Tensors{tangent}) {}
  ForwardAccumulator(const Sources& primals, const Tensors& tangents);

  // The derivative of y along the tangents, of y's shape: undefined where y does not depend on a primal, or zeros if asked
  // for. May be called any number of times.
  Tensor Jvp(const Tensor& y, UnconnectedGradients unconnected = UnconnectedGradients::kNone);

 private:
  GradientTape tape_;
  Sources primals_;
  Tensors tangents_;
};

}  // namespace tandem
TANDEM_EXPORT_END
