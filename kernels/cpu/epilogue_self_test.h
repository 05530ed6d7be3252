// Whether a oneDNN primitive with additions as binary post-ops gives the bits of the primitive without them followed by
// the additions: asked once for each primitive, on its own shape, since another blocking of the sum would differ in last
// bits. Its answer decides whether the post-ops are used or our own loop runs afterwards.
//
//   if (!PassesSelfTest(*plain, *fused, {.x = m * k, .w = k * n, .y = m * n, .channels = n}, addends)) …
#pragma once
#include "kernels/cpu/onednn_cache.h"

namespace tandem {

// A tensor that an epilogue adds: one number for each channel (the last axis), or for each element of the output.
struct Addend {
  const float* data = nullptr;
  bool per_channel = false;
};

// Elements of the primitive's arguments: image and filter (or the two factors), output; channels of the output.
struct SelfTestSizes {
  int64_t x = 0, w = 0, y = 0, channels = 0;
};

// The first three arguments of both are x, w, y; `fused` has the addends after them. Any NaN equals any NaN. False as
// well where the sizes are too large for a test to be cheap beside the work, or there is no memory for it.
bool PassesSelfTest(OnednnPrimitive& plain, OnednnPrimitive& fused, const SelfTestSizes& sizes, std::span<const Addend> addends);

// The primitive that make(addends) gives if it passes beside make({}), else null: also where oneDNN has none with addends.
std::unique_ptr<OnednnPrimitive> ExactOrNull(
    absl::FunctionRef<std::unique_ptr<OnednnPrimitive>(std::span<const Addend>)> make, const SelfTestSizes& sizes, std::span<const Addend> addends);

// Runs such a primitive; false where it is null.
absl::StatusOr<bool> ExecuteAdding(std::string_view op, OnednnPrimitive* primitive, const float* x, const float* w, float* y,
                                   std::span<const Addend> addends);

}  // namespace tandem
