// The derivative of ops that call functions: graph/ makes it, where the functions are.
#pragma once
#include <span>

#include "core/tensor.h"

namespace tandem {

class Recorded;

// dx of the inputs of a call (PartitionedCall, If, While, …) recorded in the current graph or one around it; dy undefined
// where none arrived. The call may be replaced by one that keeps what the derivative reads. Throws.
using CallGradientFn = Tensors (*)(const Recorded& op, std::span<const Tensor> dy);
// Wiring (tandem.cc); null: UNIMPLEMENTED.
void SetCallGradient(CallGradientFn fn);
Tensors GradientOfCall(const Recorded& op, std::span<const Tensor> dy);

}  // namespace tandem
