#include "eager/clip_gradient.h"

#include "core/ops/arithmetic.h"
#include "core/ops/math.h"
#include "core/ops/plumbing.h"
#include "core/ops/reduction.h"
#include "core/status.h"
#include "eager/custom_gradient.h"

namespace tandem {

Tensor ClipGradientByNorm(const Tensor& x, double norm, Origin origin) {
  if (!(norm > 0)) ThrowError(InvalidArgument("ClipGradientByNorm: norm is ", norm, ", must be positive"));
  const auto clip = CustomGradient(
      [norm](const Tensor& t) {
        return WithGradient{Identity(t), [norm](const Tensor& dy) {
          const Tensor squares = Sum(dy * dy);
          return dy * (norm / Maximum(Sqrt(squares), norm));
        }};
      },
      "ClipGradientByNorm", origin);
  return clip(x);
}

}  // namespace tandem
