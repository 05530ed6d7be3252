// Convolutions in float32 through oneDNN.
//
//   RETURN_IF_ERROR(OnednnConvolution(call, ConvolutionPart::kOutput, g, x, w, y));
//
// Images lie as g.channels_first says, filters [kh,kw,channels/groups,filters]; oneDNN's own filter layout is made on the
// way. UNIMPLEMENTED for shapes oneDNN refuses: PlainConvolution takes those. No dimension is 0.
#pragma once
#include "core/kernel.h"
#include "kernels/cpu/convolution_plain.h"
#include "kernels/cpu/epilogue_self_test.h"

namespace tandem {

absl::Status OnednnConvolution(KernelCall& call, ConvolutionPart part, const ConvolutionGeometry& g, const float* x, const float* w,
                               const float* y);

// y = the convolution of x with w, plus addends, in one primitive, channels last. False, with nothing written, where its
// bits would not be those of the convolution and the additions one after the other.
absl::StatusOr<bool> AddingConvolution(KernelCall& call, const ConvolutionGeometry& g, const float* x, const float* w, float* y,
                                       std::span<const Addend> addends);

}  // namespace tandem
