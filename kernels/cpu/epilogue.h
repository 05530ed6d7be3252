// The elementwise ops that close a fused contraction, over its output in place, a cache-sized block of rows at a time.
//
//   RETURN_IF_ERROR(ApplyEpilogue(call, {.images = 1, .channels = n, .pixels = m}));
//
// The functions are those of the unfused kernels and an addition has one result, so the bits are theirs. An epilogue of
// additions alone may instead become oneDNN post-ops (epilogue_self_test.h). oneDNN's own activations are not used: its
// Relu turns NaN into 0, its tanh is another polynomial.
#pragma once
#include "core/epilogues.h"
#include "core/kernel.h"
#include "kernels/cpu/epilogue_self_test.h"

namespace tandem {

// The output as [images, pixels, channels], or [images, channels, pixels].
struct EpilogueLayout {
  int64_t images = 1, channels = 0, pixels = 0;
  bool channels_first = false;
};

// The tensors to add where fused_ops is nothing but one or two additions; else empty.
absl::InlinedVector<Addend, 2> OnlyAddends(const KernelCall& call);

// Applies the attr fused_ops to output 0, float32. Inputs from 2 on are the tensors of BiasAdd and Add, in order.
absl::Status ApplyEpilogue(KernelCall& call, const EpilogueLayout& layout);

// For SetEpilogueQuery.
bool CpuEpilogueIsExact(Contraction contraction, std::string_view op, DType dtype);

}  // namespace tandem
