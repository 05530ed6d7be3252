// Loops over memory for one elementwise function, and their registration for one Highway target.
//
//   Register<TanhFn, Num<float>, Num<float>>(table, VecOp::kTanh, VecType::kF32);   // function, then operand kinds
//
// Cheap functions handle a tail in steps of 4 and 1 elements (the same instructions on shorter registers), so that four
// elements cost a few nanoseconds; the others use one masked step.
#if defined(TANDEM_VECTOR_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_VECTOR_KERNELS_INL
#undef TANDEM_VECTOR_KERNELS_INL
#else
#define TANDEM_VECTOR_KERNELS_INL
#endif

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "kernels/vector/kernel_table.h"
#include "kernels/vector/value-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {

#include "kernels/vector/functions-exp.inc"
#include "kernels/vector/functions-trig.inc"
#include "kernels/vector/functions-basic.inc"
#include "kernels/vector/functions-cast.inc"

// How a vector lies in memory: numbers as they are, truth values as bytes of 0 and 1.
template <typename V> struct Memory;

template <typename T, int N>
struct Memory<Lanes<T, N>> {
  using V = Lanes<T, N>;
  using Elem = T;
  static constexpr typename V::D d{};
  static HWY_INLINE V Load(const T* p) { return {hn::LoadU(d, p)}; }
  static HWY_INLINE void Store(V v, T* p) { hn::StoreU(v.v, d, p); }
  static HWY_INLINE V LoadN(const T* p, size_t n) { return {hn::MaskedLoad(hn::FirstN(d, n), d, p)}; }
  static HWY_INLINE void StoreN(V v, T* p, size_t n) { hn::BlendedStore(v.v, hn::FirstN(d, n), d, p); }
};

template <int W, int N>
struct Memory<Mask<W, N>> {
  using V = Mask<W, N>;
  using Elem = uint8_t;
  using D = typename V::D;
  static constexpr D d{};
  static HWY_INLINE V Load(const uint8_t* p) {
#if HWY_TARGET == HWY_AVX3
    uint64_t low = 0, high = 0;
    std::memcpy(&low, p, N < 8 ? N : 8);
    if constexpr (N == 16) std::memcpy(&high, p + 8, 8);
    const __m128i bytes = _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
    return {hn::Mask<D>{static_cast<decltype(hn::Mask<D>{}.raw)>(_mm_test_epi8_mask(bytes, bytes))}};
#else
    const auto wide = hn::PromoteTo(hn::Simd<int32_t, N, 0>(), hn::LoadU(hn::Simd<uint8_t, N, 0>(), p));
    if constexpr (W == 32) return {hn::Ne(wide, hn::Zero(d))};
    else return Widen(Mask<32, N>{hn::Ne(wide, hn::Zero(hn::Simd<int32_t, N, 0>()))});
#endif
  }
  static HWY_INLINE void Store(V v, uint8_t* p) {
#if HWY_TARGET == HWY_AVX3
    const __m128i bytes = _mm_maskz_set1_epi8(static_cast<__mmask16>(v.m.raw), 1);
    std::memcpy(p, &bytes, N);
#elif HWY_TARGET == HWY_AVX2
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, v.m, bits);
    const uint64_t bytes = _pdep_u64(bits[0], 0x0101010101010101u);
    std::memcpy(p, &bytes, N);
#else
    *p = v.m.bits != 0;
#endif
  }
  static HWY_INLINE V LoadN(const uint8_t* p, size_t n) {
    uint8_t bytes[N] = {};
    for (size_t i = 0; i < n; ++i) bytes[i] = p[i];
    return Load(bytes);
  }
  static HWY_INLINE void StoreN(V v, uint8_t* p, size_t n) {
    uint8_t bytes[N];
    Store(v, bytes);
    for (size_t i = 0; i < n; ++i) p[i] = bytes[i];
  }
};

// Operand kinds, made concrete by a lane count.
template <typename T> struct Num {
  template <int N> using At = Lanes<T, N>;
  static constexpr int kMaxLanes = sizeof(T) == 8 ? kLanes64 : sizeof(T) == 4 ? kLanes32 : 4 * kLanes32;
};
template <int W> struct Bool {
  template <int N> using At = Mask<W, N>;
  static constexpr int kMaxLanes = W == 64 ? kLanes64 : kLanes32;
};

template <typename F, typename... In>
struct Kernel {
  static constexpr int kIn = sizeof...(In);
  static constexpr int kLanes = std::min({In::kMaxLanes...});
  // Parameters follow the operands as splats of the last operand's type.
  template <int N, typename... V>
  static HWY_INLINE auto Apply(const float* params, V... v) {
    if constexpr (F::kParams == 0) {
      return F::Call(v...);
    } else {
      using Last = std::tuple_element_t<kIn - 1, std::tuple<V...>>;
      return F::Call(v..., Last::Const(static_cast<typename Last::Elem>(params[0])));
    }
  }
  template <int N, int K> using In_ = typename std::tuple_element_t<K, std::tuple<In...>>::template At<N>;
  template <int N, int K> using Elem = typename Memory<In_<N, K>>::Elem;

  // kDense: all operands advance. Else operand k stands still where step[k] is 0, at a buffer of equal elements.
  template <int N, bool kDense, size_t... K>
  static HWY_INLINE void Step(const void* const* p, const size_t* step, void* out, size_t i, size_t n, const float* params,
                              std::index_sequence<K...>) {
    if (F::kCheap || n == N) {
      const auto v = Apply<N>(params, Memory<In_<N, K>>::Load(static_cast<const Elem<N, K>*>(p[K]) + (kDense ? i : i & step[K]))...);
      using M = Memory<std::decay_t<decltype(v)>>;
      M::Store(v, static_cast<typename M::Elem*>(out) + i);
    } else if constexpr (!F::kCheap) {
      const auto v = Apply<N>(params, Memory<In_<N, K>>::LoadN(static_cast<const Elem<N, K>*>(p[K]) + (kDense ? i : i & step[K]), n)...);
      using M = Memory<std::decay_t<decltype(v)>>;
      M::StoreN(v, static_cast<typename M::Elem*>(out) + i, n);
    }
  }

  template <bool kDense>
  static HWY_INLINE void Row(const void* const* p, const size_t* step, void* out, size_t n, const float* params) {
    constexpr auto kAll = std::make_index_sequence<kIn>();
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) Step<kLanes, kDense>(p, step, out, i, kLanes, params, kAll);
    if constexpr (F::kCheap) {
      if constexpr (kLanes > 4) {
        for (; i + 4 <= n; i += 4) Step<4, kDense>(p, step, out, i, 4, params, kAll);
      }
      for (; i < n; ++i) Step<1, kDense>(p, step, out, i, 1, params, kAll);
    } else if (i < n) {
      Step<kLanes, kDense>(p, step, out, i, n - i, params, kAll);
    }
  }

  static void Dense(const void* a, const void* b, void* out, int64_t n) {
    if constexpr (F::kCheap) {
      const void* p[2] = {a, b};
      Row<true>(p, nullptr, out, static_cast<size_t>(n), nullptr);
    } else {
      const Operand2D in[2] = {{a, n, 1}, {b, n, 1}};
      Loop2D(in, out, 1, n, nullptr);
    }
  }

  template <size_t K>
  static HWY_INLINE const void* Splat(const void* data, void* buffer) {
    using T = Elem<kLanes, K>;
    T* splat = static_cast<T*>(buffer);
    const T value = *static_cast<const T*>(data);
    if constexpr (std::is_same_v<T, uint8_t>) {
      std::memset(splat, value, kLanes);
    } else {
      const hn::Simd<T, kLanes, 0> d;
      hn::StoreU(hn::Set(d, value), d, splat);
    }
    return splat;
  }

  template <size_t... K>
  static HWY_INLINE void Rows(const Operand2D* in, void* out, int64_t rows, int64_t cols, const float* params, std::index_sequence<K...>) {
    alignas(64) uint8_t splat[kIn][64];
    const size_t step[kIn] = {(in[K].col_stride ? ~size_t{0} : size_t{0})...};
    constexpr int64_t kBytes[kIn] = {static_cast<int64_t>(sizeof(Elem<kLanes, K>))...};
    using Out = decltype(Apply<kLanes>(params, std::declval<In_<kLanes, K>>()...));
    constexpr int64_t kOutBytes = sizeof(typename Memory<Out>::Elem);
    const void* p[kIn] = {};
    for (int64_t r = 0; r < rows; ++r) {
      const void* at[kIn] = {(static_cast<const uint8_t*>(in[K].data) + r * in[K].row_stride * kBytes[K])...};
      ((p[K] = step[K] ? at[K] : (r == 0 || in[K].row_stride != 0) ? Splat<K>(at[K], splat[K]) : p[K]), ...);
      Row<false>(p, step, static_cast<uint8_t*>(out) + r * cols * kOutBytes, static_cast<size_t>(cols), params);
    }
  }

  static void Loop2D(const Operand2D* in, void* out, int64_t rows, int64_t cols, const float* params) {
    if (cols <= 0) return;
    bool dense = true;  // then all rows are one
    for (int k = 0; k < kIn; ++k) dense = dense && in[k].col_stride == 1 && (in[k].row_stride == cols || rows == 1);
    if (dense) {
      cols *= rows;
      rows = 1;
    }
    Rows(in, out, rows, cols, params, std::make_index_sequence<kIn>());
  }
};

template <typename F, typename... In>
void Register(KernelTable& table, VecOp op, VecType type) {
  using K = Kernel<F, In...>;
  table.Set(op, type, &K::Loop2D, sizeof...(In) <= 2 && F::kParams == 0 ? &K::Dense : nullptr);
}

// A function of functions-*.inc as a type.
#define TANDEM_VEC_FUNCTION(name, params, cheap)                   \
  struct name##Fn {                                                \
    static constexpr int kParams = params;                         \
    static constexpr bool kCheap = cheap;                          \
    template <typename... V>                                       \
    static HWY_INLINE auto Call(V... v) { return name(v...); }     \
  };
#define TANDEM_VEC_UNARY(name, T, type) Register<name##Fn, Num<T>>(table, VecOp::k##name, VecType::type)
#define TANDEM_VEC_BINARY(name, T, type) Register<name##Fn, Num<T>, Num<T>>(table, VecOp::k##name, VecType::type)
#define TANDEM_VEC_UNARY_FLOATS(name) \
  TANDEM_VEC_UNARY(name, float, kF32); \
  TANDEM_VEC_UNARY(name, double, kF64)
#define TANDEM_VEC_BINARY_FLOATS(name) \
  TANDEM_VEC_BINARY(name, float, kF32); \
  TANDEM_VEC_BINARY(name, double, kF64)
#define TANDEM_VEC_UNARY_NUMBERS(name) \
  TANDEM_VEC_UNARY_FLOATS(name); \
  TANDEM_VEC_UNARY(name, int32_t, kI32); \
  TANDEM_VEC_UNARY(name, int64_t, kI64)
#define TANDEM_VEC_BINARY_NUMBERS(name) \
  TANDEM_VEC_BINARY_FLOATS(name); \
  TANDEM_VEC_BINARY(name, int32_t, kI32); \
  TANDEM_VEC_BINARY(name, int64_t, kI64)

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#endif  // TANDEM_VECTOR_KERNELS_INL
