// The ops that TensorFlow has for derivatives of elementwise functions, as functions for gradients of gradients. y is the
// function's result, x its argument (of complex ones pass conj y to TanhGrad and SigmoidGrad); dy must have the same shape: these do not broadcast.
//
//   Tensor dx = TanhGrad(Tanh(x), dy);
#pragma once
#include "core/tensor.h"

namespace tandem {

Tensor SqrtGrad(const Tensor& y, const Tensor& dy, Origin origin = Here());     // dy / (2 conj y)
Tensor RsqrtGrad(const Tensor& y, const Tensor& dy, Origin origin = Here());    // -dy conj(y)³ / 2
Tensor TanhGrad(const Tensor& y, const Tensor& dy, Origin origin = Here());     // dy (1 - y²)
Tensor SigmoidGrad(const Tensor& y, const Tensor& dy, Origin origin = Here());  // dy y (1 - y)

// dy where 0 < x (and x < 6), else 0; x may be the function's result as well.
Tensor ReluGrad(const Tensor& dy, const Tensor& x, Origin origin = Here());
Tensor Relu6Grad(const Tensor& dy, const Tensor& x, Origin origin = Here());
Tensor LeakyReluGrad(const Tensor& dy, const Tensor& x, float alpha, Origin origin = Here());
Tensor EluGrad(const Tensor& dy, const Tensor& y, Origin origin = Here());       // dy (y + 1) where y < 0, else dy
Tensor SoftplusGrad(const Tensor& dy, const Tensor& x, Origin origin = Here());  // dy sigmoid(x)

}  // namespace tandem
