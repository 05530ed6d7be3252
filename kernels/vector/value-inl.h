// The abstract vector value of functions-*.inc, as Highway vectors of one target.
//
//   F32<16> x = ...;  F32<16> y = Pick(Lt(x, F32<16>::Const(0)), -x, x);
//
// Lanes<T, N> holds N numbers, Mask<W, N> N truth values beside lanes of W bits, Pair<X> two vectors that together match
// a vector of half as wide elements. Every operation is one x86 instruction where there is one, with that instruction's
// semantics on every target (X86Min, TruncInt, ...), so that recorded programs (recorder.h) give equal bits.
// Template arguments are numbers, never Highway tags: argument-dependent look-up must not find Highway's functions.
#if defined(TANDEM_VECTOR_VALUE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_VECTOR_VALUE_INL
#undef TANDEM_VECTOR_VALUE_INL
#else
#define TANDEM_VECTOR_VALUE_INL
#endif

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/vector/lane_calls.h"

#ifndef VEC_INLINE
#define VEC_INLINE HWY_INLINE
#endif

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int kLanes32 = HWY_TARGET == HWY_SCALAR ? 1 : HWY_TARGET == HWY_AVX2 ? 8 : 16;
inline constexpr int kLanes64 = HWY_TARGET == HWY_SCALAR ? 1 : HWY_TARGET == HWY_AVX2 ? 4 : 8;

template <typename T, int N>
struct Lanes {
  using Elem = T;
  using D = hn::Simd<T, N, 0>;
  static constexpr int kLanes = N;
  hn::Vec<D> v;
  static HWY_INLINE Lanes Const(T x) { return {hn::Set(D(), x)}; }
};
template <int N> using F32 = Lanes<float, N>;
template <int N> using F64 = Lanes<double, N>;
template <int N> using I32 = Lanes<int32_t, N>;
template <int N> using I64 = Lanes<int64_t, N>;

template <int W> using IntOfWidth = std::conditional_t<W == 32, int32_t, int64_t>;

template <int W, int N>
struct Mask {
  using D = hn::Simd<IntOfWidth<W>, N, 0>;
  static constexpr int kLanes = N;
  hn::Mask<D> m;
};

template <typename X>
struct Pair {
  using Elem = typename X::Elem;
  static constexpr int kLanes = 2 * X::kLanes;
  X lo, hi;
  static HWY_INLINE Pair Const(Elem x) { return {X::Const(x), X::Const(x)}; }
};
template <int W, int N>
struct Pair<Mask<W, N>> {
  static constexpr int kLanes = 2 * N;
  Mask<W, N> lo, hi;
};

// --- Arithmetic. Integers wrap.
#define TANDEM_LANES_BINARY(op, fn)                                    \
  template <typename T, int N>                                       \
  HWY_INLINE Lanes<T, N> op(Lanes<T, N> a, Lanes<T, N> b) {          \
    return {hn::fn(a.v, b.v)};                                       \
  }
TANDEM_LANES_BINARY(operator+, Add)
TANDEM_LANES_BINARY(operator-, Sub)
TANDEM_LANES_BINARY(operator*, Mul)
TANDEM_LANES_BINARY(operator/, Div)
TANDEM_LANES_BINARY(operator&, And)
TANDEM_LANES_BINARY(operator|, Or)
TANDEM_LANES_BINARY(operator^, Xor)
TANDEM_LANES_BINARY(AndNot, AndNot)  // ~a & b
#undef TANDEM_LANES_BINARY

// Fused on every target (Highway's MulAdd is not, on scalar code).
template <typename T, int N>
HWY_INLINE Lanes<T, N> Fma(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c) {
#if HWY_TARGET == HWY_SCALAR
  return {hn::Set(typename Lanes<T, N>::D(), std::fma(a.v.raw, b.v.raw, c.v.raw))};
#else
  return {hn::MulAdd(a.v, b.v, c.v)};
#endif
}

// c - a * b
template <typename T, int N>
HWY_INLINE Lanes<T, N> Fnma(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c) {
#if HWY_TARGET == HWY_SCALAR
  return {hn::Set(typename Lanes<T, N>::D(), std::fma(-a.v.raw, b.v.raw, c.v.raw))};
#else
  return {hn::NegMulAdd(a.v, b.v, c.v)};
#endif
}

template <typename T, int N>
HWY_INLINE Lanes<T, N> SquareRoot(Lanes<T, N> a) {
#if HWY_TARGET == HWY_SCALAR
  return {hn::Set(typename Lanes<T, N>::D(), std::sqrt(a.v.raw))};
#else
  return {hn::Sqrt(a.v)};
#endif
}

#if HWY_TARGET == HWY_SCALAR
template <typename T, int N> HWY_INLINE Lanes<T, N> RoundNear(Lanes<T, N> a) { return Lanes<T, N>::Const(std::nearbyint(a.v.raw)); }
template <typename T, int N> HWY_INLINE Lanes<T, N> RoundDown(Lanes<T, N> a) { return Lanes<T, N>::Const(std::floor(a.v.raw)); }
template <typename T, int N> HWY_INLINE Lanes<T, N> RoundUp(Lanes<T, N> a) { return Lanes<T, N>::Const(std::ceil(a.v.raw)); }
#else
template <typename T, int N> HWY_INLINE Lanes<T, N> RoundNear(Lanes<T, N> a) { return {hn::Round(a.v)}; }
template <typename T, int N> HWY_INLINE Lanes<T, N> RoundDown(Lanes<T, N> a) { return {hn::Floor(a.v)}; }
template <typename T, int N> HWY_INLINE Lanes<T, N> RoundUp(Lanes<T, N> a) { return {hn::Ceil(a.v)}; }
#endif

// --- Bits.
template <int N> HWY_INLINE I32<N> Bits(F32<N> a) { return {hn::BitCast(typename I32<N>::D(), a.v)}; }
template <int N> HWY_INLINE I64<N> Bits(F64<N> a) { return {hn::BitCast(typename I64<N>::D(), a.v)}; }
template <int N> HWY_INLINE F32<N> FromBits(I32<N> a) { return {hn::BitCast(typename F32<N>::D(), a.v)}; }
template <int N> HWY_INLINE F64<N> FromBits(I64<N> a) { return {hn::BitCast(typename F64<N>::D(), a.v)}; }
template <int K, typename T, int N> HWY_INLINE Lanes<T, N> Shl(Lanes<T, N> a) { return {hn::ShiftLeft<K>(a.v)}; }
template <int K, typename T, int N>
HWY_INLINE Lanes<T, N> Shr(Lanes<T, N> a) {  // logical
  const hn::Simd<std::make_unsigned_t<T>, N, 0> du;
  return {hn::BitCast(typename Lanes<T, N>::D(), hn::ShiftRight<K>(hn::BitCast(du, a.v)))};
}

// --- Masks.
template <typename T, int N> using MaskFor = Mask<static_cast<int>(sizeof(T) * 8), N>;
template <typename T, int N>
HWY_INLINE MaskFor<T, N> ToMask(hn::Mask<hn::Simd<T, N, 0>> m) {
  return {hn::RebindMask(typename MaskFor<T, N>::D(), m)};
}
template <typename T, int N> HWY_INLINE MaskFor<T, N> Lt(Lanes<T, N> a, Lanes<T, N> b) { return ToMask<T, N>(hn::Lt(a.v, b.v)); }
template <typename T, int N>
HWY_INLINE MaskFor<T, N> Le(Lanes<T, N> a, Lanes<T, N> b) {
  if constexpr (std::is_floating_point_v<T>) return ToMask<T, N>(hn::Le(a.v, b.v));
  else return ToMask<T, N>(hn::Not(hn::Lt(b.v, a.v)));
}
template <typename T, int N> HWY_INLINE MaskFor<T, N> Eq(Lanes<T, N> a, Lanes<T, N> b) { return ToMask<T, N>(hn::Eq(a.v, b.v)); }
template <typename T, int N>
HWY_INLINE MaskFor<T, N> Ne(Lanes<T, N> a, Lanes<T, N> b) {  // true for NaN; Highway's Ne is not, on AVX2 and up
  return ToMask<T, N>(hn::Not(hn::Eq(a.v, b.v)));
}
template <int W, int N> HWY_INLINE Mask<W, N> operator&(Mask<W, N> a, Mask<W, N> b) { return {hn::And(a.m, b.m)}; }
template <int W, int N> HWY_INLINE Mask<W, N> operator|(Mask<W, N> a, Mask<W, N> b) { return {hn::Or(a.m, b.m)}; }
template <int W, int N> HWY_INLINE Mask<W, N> operator^(Mask<W, N> a, Mask<W, N> b) { return {hn::Xor(a.m, b.m)}; }
template <int W, int N> HWY_INLINE Mask<W, N> operator!(Mask<W, N> a) { return {hn::Not(a.m)}; }
template <int W, int N> HWY_INLINE Mask<W, N> Pick(Mask<W, N> m, Mask<W, N> yes, Mask<W, N> no) {
  return {hn::Or(hn::And(m.m, yes.m), hn::AndNot(m.m, no.m))};
}
template <typename T, int N>
HWY_INLINE Lanes<T, N> Pick(MaskFor<T, N> m, Lanes<T, N> yes, Lanes<T, N> no) {
  return {hn::IfThenElse(hn::RebindMask(typename Lanes<T, N>::D(), m.m), yes.v, no.v)};
}
template <int W, int N>
HWY_INLINE bool None(Mask<W, N> m) { return hn::AllFalse(typename Mask<W, N>::D(), m.m); }

// minps and maxps: the second operand unless the first is smaller (greater), NaN included.
template <typename T, int N>
HWY_INLINE Lanes<T, N> X86Min(Lanes<T, N> a, Lanes<T, N> b) {
  if constexpr (HWY_TARGET == HWY_SCALAR || !std::is_floating_point_v<T>) return Pick(Lt(a, b), a, b);
  else return {hn::Min(a.v, b.v)};
}
template <typename T, int N>
HWY_INLINE Lanes<T, N> X86Max(Lanes<T, N> a, Lanes<T, N> b) {
  if constexpr (HWY_TARGET == HWY_SCALAR || !std::is_floating_point_v<T>) return Pick(Lt(b, a), a, b);
  else return {hn::Max(a.v, b.v)};
}

// --- Lane calls (lane_calls.h).
template <typename T, int N>
HWY_INLINE Lanes<T, N> CallAlways(LaneCall call, Lanes<T, N> a, Lanes<T, N> b) {
  const typename Lanes<T, N>::D d;
  alignas(64) T x[N], y[N], out[N];
  hn::Store(a.v, d, x);
  hn::Store(b.v, d, y);
  CallLanes(call, x, y, out, N);
  return {hn::Load(d, out)};
}
// `fast`, but call(a) in the lanes of `where`.
template <typename T, int N>
HWY_INLINE Lanes<T, N> CallWhere(LaneCall call, MaskFor<T, N> where, Lanes<T, N> a, Lanes<T, N> fast) {
  if (HWY_LIKELY(None(where))) return fast;
  return Pick(where, CallAlways(call, a, a), fast);
}

// --- Conversions within one width.
#if HWY_TARGET == HWY_SCALAR
template <typename To, typename From>
HWY_INLINE To SaturatedOrMin(From x) {  // cvtt*2*: the minimum for what does not fit
  const From limit = std::ldexp(From{1}, sizeof(To) * 8 - 1);
  return x >= -limit && x < limit ? static_cast<To>(x) : std::numeric_limits<To>::min();
}
#endif
template <int N>
HWY_INLINE I32<N> TruncInt(F32<N> a) {
#if HWY_TARGET == HWY_SCALAR
  return I32<N>::Const(SaturatedOrMin<int32_t>(a.v.raw));
#else
  if constexpr (N == 16) {
#if HWY_TARGET == HWY_AVX3
    return {hn::Vec<typename I32<N>::D>{_mm512_cvttps_epi32(a.v.raw)}};
#endif
  } else if constexpr (N == 8) {
    return {hn::Vec<typename I32<N>::D>{_mm256_cvttps_epi32(a.v.raw)}};
  } else {
    return {hn::Vec<typename I32<N>::D>{_mm_cvttps_epi32(a.v.raw)}};
  }
#endif
}
template <int N> HWY_INLINE F32<N> ToFloat(I32<N> a) { return {hn::ConvertTo(typename F32<N>::D(), a.v)}; }

template <int N>
HWY_INLINE I64<N> TruncInt(F64<N> a) {
#if HWY_TARGET == HWY_SCALAR
  return I64<N>::Const(SaturatedOrMin<int64_t>(a.v.raw));
#elif HWY_TARGET == HWY_AVX3
  using V = hn::Vec<typename I64<N>::D>;
  if constexpr (N == 8) return {V{_mm512_cvttpd_epi64(a.v.raw)}};
  else if constexpr (N == 4) return {V{_mm256_cvttpd_epi64(a.v.raw)}};
  else return {V{_mm_cvttpd_epi64(a.v.raw)}};
#else
  alignas(32) double x[N];
  alignas(32) int64_t out[N];
  hn::Store(a.v, typename F64<N>::D(), x);
  for (int i = 0; i < N; ++i) out[i] = _mm_cvttsd_si64(_mm_set_sd(x[i]));
  return {hn::Load(typename I64<N>::D(), out)};
#endif
}
template <int N> HWY_INLINE F64<N> ToFloat(I64<N> a) { return {hn::ConvertTo(typename F64<N>::D(), a.v)}; }

// --- Between widths. On full registers a vector of N 32-bit elements matches a Pair of N/2 64-bit ones.
template <typename T, int N>
using Wide = std::conditional_t<(N <= kLanes64), Lanes<T, N>, Pair<Lanes<T, (N > 1 ? N / 2 : 1)>>>;
template <int N>
using WideMask = std::conditional_t<(N <= kLanes64), Mask<64, N>, Pair<Mask<64, (N > 1 ? N / 2 : 1)>>>;

template <typename To, typename From, int N>
HWY_INLINE Wide<To, N> WidenAs(Lanes<From, N> a) {
  if constexpr (N <= kLanes64) {
    return {hn::PromoteTo(hn::Simd<To, N, 0>(), a.v)};
  }
#if HWY_TARGET != HWY_SCALAR
  else {
    const hn::Simd<From, N / 2, 0> half;
    const hn::Simd<To, N / 2, 0> wide;
    return {{hn::PromoteTo(wide, hn::LowerHalf(half, a.v))}, {hn::PromoteTo(wide, hn::UpperHalf(half, a.v))}};
  }
#endif
}
template <int N> HWY_INLINE Wide<double, N> Widen(F32<N> a) { return WidenAs<double>(a); }
template <int N> HWY_INLINE Wide<int64_t, N> Widen(I32<N> a) { return WidenAs<int64_t>(a); }
template <int N> HWY_INLINE Wide<double, N> WidenToFloat(I32<N> a) { return WidenAs<double>(a); }

template <int N>
HWY_INLINE F32<N> Narrow(F64<N> a) {
#if HWY_TARGET == HWY_SCALAR
  return F32<N>::Const(static_cast<float>(a.v.raw));  // Highway's clips to finite numbers
#else
  return {hn::DemoteTo(typename F32<N>::D(), a.v)};
#endif
}

// cvttpd2dq
template <int N>
HWY_INLINE I32<N> TruncInt32(F64<N> a) {
#if HWY_TARGET == HWY_SCALAR
  return I32<N>::Const(SaturatedOrMin<int32_t>(a.v.raw));
#else
  using V = hn::Vec<typename I32<N>::D>;
  if constexpr (N == 8) {
#if HWY_TARGET == HWY_AVX3
    return {V{_mm512_cvttpd_epi32(a.v.raw)}};
#endif
  } else if constexpr (N == 4) {
    return {V{_mm256_cvttpd_epi32(a.v.raw)}};
  } else {
    return {V{_mm_cvttpd_epi32(a.v.raw)}};
  }
#endif
}

// The low half of each element.
template <int N>
HWY_INLINE I32<N> Narrow(I64<N> a) {
#if HWY_TARGET == HWY_SCALAR
  return I32<N>::Const(static_cast<int32_t>(a.v.raw));
#else
  using V = hn::Vec<typename I32<N>::D>;
  if constexpr (N == 8) {
#if HWY_TARGET == HWY_AVX3
    return {V{_mm512_cvtepi64_epi32(a.v.raw)}};
#endif
  } else if constexpr (N == 4) {
    const __m256i even = _mm256_permutevar8x32_epi32(a.v.raw, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    return {V{_mm256_castsi256_si128(even)}};
  } else {
    return {V{_mm_shuffle_epi32(a.v.raw, 0x88)}};
  }
#endif
}

// To float with one rounding.
template <int N>
HWY_INLINE F32<N> NarrowToFloat(I64<N> a) {
#if HWY_TARGET == HWY_SCALAR
  return F32<N>::Const(static_cast<float>(a.v.raw));
#elif HWY_TARGET == HWY_AVX3
  using V = hn::Vec<typename F32<N>::D>;
  if constexpr (N == 8) return {V{_mm512_cvtepi64_ps(a.v.raw)}};
  else if constexpr (N == 4) return {V{_mm256_cvtepi64_ps(a.v.raw)}};
  else return {V{_mm_cvtepi64_ps(a.v.raw)}};
#else
  alignas(32) int64_t x[N];
  alignas(16) float out[N];
  hn::Store(a.v, typename I64<N>::D(), x);
  for (int i = 0; i < N; ++i) out[i] = static_cast<float>(x[i]);
  return {hn::Load(typename F32<N>::D(), out)};
#endif
}

#if HWY_TARGET != HWY_SCALAR
template <typename T, int N>
HWY_INLINE Lanes<T, 2 * N> Join(Lanes<T, N> lo, Lanes<T, N> hi) {
  return {hn::Combine(hn::Simd<T, 2 * N, 0>(), hi.v, lo.v)};
}
template <int N> HWY_INLINE Mask<32, 2 * N> Narrow(Pair<Mask<64, N>> m) {
#if HWY_TARGET == HWY_AVX3
  return {hn::Mask<hn::Simd<int32_t, 2 * N, 0>>{static_cast<decltype(hn::Mask<hn::Simd<int32_t, 2 * N, 0>>{}.raw)>(
      m.lo.m.raw | (m.hi.m.raw << N))}};
#else
  const auto lo = Narrow(I64<N>{hn::VecFromMask(typename I64<N>::D(), m.lo.m)});
  const auto hi = Narrow(I64<N>{hn::VecFromMask(typename I64<N>::D(), m.hi.m)});
  return {hn::MaskFromVec(Join(lo, hi).v)};
#endif
}
#endif
template <int N>
HWY_INLINE WideMask<N> Widen(Mask<32, N> m) {
  if constexpr (N <= kLanes64) {
#if HWY_TARGET == HWY_SCALAR
    return {hn::RebindMask(hn::Simd<int64_t, N, 0>(), hn::Ne(hn::Set(hn::Simd<int64_t, N, 0>(), m.m.bits ? 1 : 0), hn::Zero(hn::Simd<int64_t, N, 0>())))};
#elif HWY_TARGET == HWY_AVX3
    return {hn::Mask<hn::Simd<int64_t, N, 0>>{static_cast<decltype(hn::Mask<hn::Simd<int64_t, N, 0>>{}.raw)>(m.m.raw)}};
#else
    return {hn::MaskFromVec(hn::PromoteTo(hn::Simd<int64_t, N, 0>(), hn::VecFromMask(hn::Simd<int32_t, N, 0>(), m.m)))};
#endif
  } else {
#if HWY_TARGET == HWY_AVX3
    using M = hn::Mask<hn::Simd<int64_t, N / 2, 0>>;
    return {{M{static_cast<decltype(M{}.raw)>(m.m.raw)}}, {M{static_cast<decltype(M{}.raw)>(m.m.raw >> (N / 2))}}};
#elif HWY_TARGET == HWY_AVX2
    const I64<N / 2> lo = WidenAs<int64_t>(I32<N>{hn::VecFromMask(hn::Simd<int32_t, N, 0>(), m.m)}).lo;
    const I64<N / 2> hi = WidenAs<int64_t>(I32<N>{hn::VecFromMask(hn::Simd<int32_t, N, 0>(), m.m)}).hi;
    return {{hn::MaskFromVec(lo.v)}, {hn::MaskFromVec(hi.v)}};
#endif
  }
}

// a * 2^k with one rounding; k integral, |k| < 300 (float), 2200 (double).
#if HWY_TARGET == HWY_AVX3
template <int N>
HWY_INLINE F32<N> Scale(F32<N> a, F32<N> k) {
  using V = hn::Vec<typename F32<N>::D>;
  if constexpr (N == 16) return {V{_mm512_scalef_ps(a.v.raw, k.v.raw)}};
  else if constexpr (N == 8) return {V{_mm256_scalef_ps(a.v.raw, k.v.raw)}};
  else return {V{_mm_scalef_ps(a.v.raw, k.v.raw)}};
}
template <int N>
HWY_INLINE F64<N> Scale(F64<N> a, F64<N> k) {
  using V = hn::Vec<typename F64<N>::D>;
  if constexpr (N == 8) return {V{_mm512_scalef_pd(a.v.raw, k.v.raw)}};
  else if constexpr (N == 4) return {V{_mm256_scalef_pd(a.v.raw, k.v.raw)}};
  else return {V{_mm_scalef_pd(a.v.raw, k.v.raw)}};
}
#else
template <typename V> V ScaleByParts(V a, V k);  // functions-exp.inc
template <typename T, int N> HWY_INLINE Lanes<T, N> Scale(Lanes<T, N> a, Lanes<T, N> k) { return ScaleByParts(a, k); }
#endif

#include "kernels/vector/pair.inc"

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#endif  // TANDEM_VECTOR_VALUE_INL
