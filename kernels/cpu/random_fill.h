// Tensors filled from a Philox stream, element for element the numbers of TensorFlow's CPU kernels.
//
//   FillUniform(Philox(seed, first_block, seed2), call.output());
#pragma once
#include "core/tensor_rep.h"
#include "kernels/cpu/philox.h"

namespace tandem {

// Element i comes from word i (two words for doubles and int64) of the stream, whatever the threads.
// Floating output: in [0, 1), from the mantissa bits of a word.
void FillUniform(const Philox& stream, TensorRep& out);
// int32 or int64 output: low + word mod (high - low), low < high.
void FillUniformInt(const Philox& stream, int64_t low, int64_t high, TensorRep& out);
// Box and Muller's transform of pairs of uniform numbers; half types are rounded from float32.
void FillNormal(const Philox& stream, TensorRep& out);
// Normal numbers within two standard deviations. Elements in groups of four (doubles: two); each group has 256 numbers
// of its own to draw from.
void FillTruncatedNormal(const Philox& stream, TensorRep& out);

}  // namespace tandem
