// Scalar functions for the lanes no vector formula covers (huge arguments of sin and cos) and for functions without a
// vector body (double-precision erf, pow). Kernels, emitted code and interpreter call the same ones, so bits agree.
#pragma once
#include <cstdint>

namespace tandem::vec {

enum class LaneCall : uint8_t {
  kSinF32, kCosF32, kErfcF32, kFloorModF32,
  kSinF64, kCosF64, kErfF64, kErfcF64, kPowF64, kFloorModF64,
};

// out[i] = f(a[i], b[i]) for the n lanes; b is ignored by functions of one input. Doubles for the *F64 calls.
void CallLanes(LaneCall call, const float* a, const float* b, float* out, int n);
void CallLanes(LaneCall call, const double* a, const double* b, double* out, int n);

}  // namespace tandem::vec
