#include "tools/bench/hand_written.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/bench/hand_written.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

using V = F32<kLanes32>;

V C(float x) { return V::Const(x); }

// Two vectors a turn, as a person would unroll; n is a multiple of both here.
template <class F>
void Loop(const float* x, float* y, int64_t n, F f) {
  int64_t i = 0;
  for (; i + 2 * V::kLanes <= n; i += 2 * V::kLanes) {
    const V a = f(Memory<V>::Load(x + i)), b = f(Memory<V>::Load(x + i + V::kLanes));
    Memory<V>::Store(a, y + i);
    Memory<V>::Store(b, y + i + V::kLanes);
  }
  for (; i < n; i += V::kLanes) {
    const size_t left = static_cast<size_t>(n - i < V::kLanes ? n - i : V::kLanes);
    Memory<V>::StoreN(f(Memory<V>::LoadN(x + i, left)), y + i, left);
  }
}

void Chain(const float* x, float* y, int64_t n) {
  Loop(x, y, n, [](V v) {
    const V w = v * C(1.5f) + C(0.25f);
    const V z = Maximum(w - C(0.5f), C(-1.0f)) * w;
    return Minimum(z * C(0.75f) + C(2.0f), C(100.0f));
  });
}

void Gelu(const float* x, float* y, int64_t n) {
  Loop(x, y, n, [](V v) {
    const V inner = C(0.7978845608f) * (v + C(0.044715f) * v * v * v);
    return C(0.5f) * v * (C(1.0f) + Tanh(inner));
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(Chain);
HWY_EXPORT(Gelu);
void DispatchChain(const float* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(Chain)(x, y, n); }
void DispatchGelu(const float* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(Gelu)(x, y, n); }
}  // namespace tandem::vec

namespace tandem::bench {
void HandChain(const float* x, float* y, int64_t n) { vec::DispatchChain(x, y, n); }
void HandGelu(const float* x, float* y, int64_t n) { vec::DispatchGelu(x, y, n); }
}  // namespace tandem::bench
#endif
