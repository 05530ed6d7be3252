#include "eager/train/clip.h"

#include "core/context.h"
#include "core/ops/arithmetic.h"
#include "core/ops/comparison.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"
#include "core/ops/reduction.h"

namespace tandem {

Tensor GlobalNorm(const Tensors& tensors) {
  Tensor sum;
  for (const Tensor& t : tensors) {
    if (!t.defined()) continue;
    const Tensor squares = Sum(Square(t));
    sum = sum.defined() ? sum + squares : squares;
  }
  if (!sum.defined()) ThrowError(InvalidArgument("GlobalNorm: no tensor of ", tensors.size(), " is defined"));
  return Sqrt(sum);
}

ClipByGlobalNormResult ClipByGlobalNorm(const Tensors& tensors, Operand clip_norm) {
  const Tensor norm = GlobalNorm(tensors), limit = ToTensor(clip_norm, norm.dtype());
  // norm - norm: nothing, or NaN.
  const Tensor scale = limit / Maximum(norm, limit) + (norm - norm);
  ClipByGlobalNormResult result{{}, norm};
  for (const Tensor& t : tensors) result.clipped.push_back(t.defined() ? t * scale : Tensor());
  return result;
}

Tensor ClipByNorm(const Tensor& t, Operand clip_norm, const Tensor& axes) {
  const Tensor limit = ToTensor(clip_norm, t.dtype()), sum = Sum(Square(t), axes, {.keep_dims = true});
  // The derivative of the root is not asked for at 0.
  const Tensor positive = Greater(sum, 0), norm = Select(positive, Sqrt(Select(positive, sum, OnesLike(sum))), sum);
  return t * limit / Maximum(norm, limit);
}

}  // namespace tandem
