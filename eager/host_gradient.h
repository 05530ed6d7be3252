// The derivative of a host function: the function run again under a tape.
#pragma once
#include "core/host_function.h"

namespace tandem {

// One tensor for each input, undefined where none flows. dy: one for each output; what has no gradients is ignored.
// INVALID_ARGUMENT when the function now gives another number of outputs.
Tensors HostGradient(const HostFunction& function, const Tensors& inputs, const Tensors& dy);

}  // namespace tandem
