#include "eager/train/hyper_parameter.h"

#include "core/context.h"
#include "core/ops/cast.h"

namespace tandem::train {

Tensor HyperParameter::Value(DType dtype) const {
  if (!function_) {
    if (!made_.defined() || made_.dtype() != dtype) made_ = ToTensor(Operand(number_), dtype);
    return made_;
  }
  Tensor value = function_();
  if (!value.defined()) ThrowError(InvalidArgument("optimizer: a hyper-parameter is an undefined tensor"));
  if (value.shape().known_rank() && value.rank() != 0)
    ThrowError(InvalidArgument("optimizer: a hyper-parameter must be a scalar, is ", value.shape().ToString()));
  return value.dtype() == dtype ? value : Cast(value, dtype);
}

}  // namespace tandem::train
