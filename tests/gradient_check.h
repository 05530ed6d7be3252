// Gradients against central differences in float64.
//
//   CHECK(GradientDifference([](const Tensors& x) { return Prod(x[0]); }, {x}) == "");
#pragma once
#include <functional>
#include <string>

#include "tandem.h"

namespace tandem {

using TensorFunction = std::function<Tensor(const Tensors&)>;

// Compares the tape's gradient of a weighted sum of f's elements with central differences, at float64 tensors x. "" or
// the first element that differs by more than `tolerance` (relative to 1 + |want|).
std::string GradientDifference(const TensorFunction& f, const Tensors& x, double tolerance = 1e-6);
// The same for the gradient of such a gradient: f's second derivatives.
std::string SecondGradientDifference(const TensorFunction& f, const Tensors& x, double tolerance = 1e-5);

}  // namespace tandem
