// Derivatives of the ops that call functions. The derivative of a function is a function.
#pragma once
#include <span>

#include "core/tensor.h"

namespace tandem {

class Recorded;

// What core's GradientOfCall does (core/function_gradient.h), while a graph records. INVALID_ARGUMENT for functions that
// call themselves.
Tensors DifferentiateCall(const Recorded& op, std::span<const Tensor> dy);

}  // namespace tandem
