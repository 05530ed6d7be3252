// The float32 kernels of MatMul and Conv2D, for the ops that add an epilogue to them: both read attributes by name, so
// they run on a call of either op.
#pragma once
#include "core/kernel.h"

namespace tandem {

absl::Status FloatMatMul(KernelCall& call);       // kernels/cpu/matmul.cc
absl::Status FloatConvolution(KernelCall& call);  // kernels/cpu/convolution.cc

}  // namespace tandem
