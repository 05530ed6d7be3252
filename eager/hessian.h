// Second derivatives of a function, its elements summed if it gives several.
//
//   auto f = [](Tensor x) { return Sum(x * x * x); };
//   Hessian(f, x);                               // [n, n] for x: [n]
//   HessianVectorProduct(f, x, v);               // H v, without H
//   Hessian([&] { return Loss(model); }, w);     // a function of no argument reads the variable itself
//
// x: a tensor or a variable. They work in both modes and inside tapes. A function that is linear in x, or does not depend
// on it, has a Hessian of zeros. Errors are those of the function and of GradientTape::Jacobian.
#pragma once
#include <concepts>
#include <functional>

#include "core/export.h"
#include "eager/sources.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// x: [d…] -> [d…, d…], symmetric.
Tensor HessianOf(const std::function<Tensor()>& f, const Source& x);
// vs: one for each x, of its shape and dtype -> as many. INVALID_ARGUMENT otherwise.
Tensors HessianVectorProductOf(const std::function<Tensor()>& f, const Sources& xs, const Tensors& vs);

template <class F, SourceLike T>
Tensor Hessian(const F& f, const T& x) {
  if constexpr (std::invocable<const F&, const T&>) return HessianOf([&] { return Tensor(f(x)); }, x);
  else return HessianOf([&] { return Tensor(f()); }, x);
}

template <class F, SourceLike T>
Tensor HessianVectorProduct(const F& f, const T& x, const Tensor& v) {
  if constexpr (std::invocable<const F&, const T&>) return HessianVectorProductOf([&] { return Tensor(f(x)); }, {x}, {v})[0];
  else return HessianVectorProductOf([&] { return Tensor(f()); }, {x}, {v})[0];
}

}  // namespace tandem
TANDEM_EXPORT_END
