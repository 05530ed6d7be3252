// Matrix products in float32 through oneDNN, batched or not; small ones by plain loops.
//
//   RETURN_IF_ERROR(FloatGemm(call, {.m = 64, .k = 784, .n = 10}, a, b, c));
#pragma once
#include "core/kernel.h"
#include "kernels/cpu/epilogue_self_test.h"
#include "kernels/cpu/plain_gemm.h"

namespace tandem {

// `batch` products of one shape; the matrices of each operand lie one behind the other. Prepared in call.plan_state or
// this thread's table. No dimension is 0.
absl::Status FloatGemm(KernelCall& call, const GemmShape& shape, const float* a, const float* b, float* c, int64_t batch = 1);

// c = a b + addends, in one primitive. False, with nothing written, where its bits would not be those of the product and
// the additions one after the other, or the product is small.
absl::StatusOr<bool> AddingGemm(KernelCall& call, const GemmShape& shape, const float* a, const float* b, float* c,
                                std::span<const Addend> addends);

}  // namespace tandem
