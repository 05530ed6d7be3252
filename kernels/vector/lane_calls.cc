#include "kernels/vector/lane_calls.h"

#include <cmath>

namespace tandem::vec {
namespace {

// The remainder with the divisor's sign.
template <typename T>
T FloorMod(T x, T y) {
  const T r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

template <typename T, typename F>
void ForLanes(F f, const T* a, T* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = f(a[i]);
}

template <typename T, typename F>
void ForLanes(F f, const T* a, const T* b, T* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}

}  // namespace

void CallLanes(LaneCall call, const float* a, const float* b, float* out, int n) {
  // Through double: glibc's double functions are right to less than one ULP of double over the whole range.
  switch (call) {
    case LaneCall::kSinF32: return ForLanes([](float x) { return static_cast<float>(std::sin(double{x})); }, a, out, n);
    case LaneCall::kCosF32: return ForLanes([](float x) { return static_cast<float>(std::cos(double{x})); }, a, out, n);
    case LaneCall::kErfcF32: return ForLanes([](float x) { return static_cast<float>(std::erfc(double{x})); }, a, out, n);
    case LaneCall::kFloorModF32: return ForLanes(FloorMod<float>, a, b, out, n);
    default: return;
  }
}

void CallLanes(LaneCall call, const double* a, const double* b, double* out, int n) {
  switch (call) {
    case LaneCall::kSinF64: return ForLanes([](double x) { return std::sin(x); }, a, out, n);
    case LaneCall::kCosF64: return ForLanes([](double x) { return std::cos(x); }, a, out, n);
    case LaneCall::kErfF64: return ForLanes([](double x) { return std::erf(x); }, a, out, n);
    case LaneCall::kErfcF64: return ForLanes([](double x) { return std::erfc(x); }, a, out, n);
    case LaneCall::kPowF64: return ForLanes([](double x, double y) { return std::pow(x, y); }, a, b, out, n);
    case LaneCall::kFloorModF64: return ForLanes(FloorMod<double>, a, b, out, n);
    default: return;
  }
}

}  // namespace tandem::vec
