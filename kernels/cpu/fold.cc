#include "kernels/cpu/fold.h"

#include <array>
#include <complex>
#include <concepts>
#include <limits>
#include <type_traits>

#include "core/visit.h"

namespace tandem {
namespace {

template <class T>
inline constexpr bool kIsHalf = std::same_as<T, Half> || std::same_as<T, BFloat16>;
template <class T>
inline constexpr bool kIsComplex = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <class T>
using Widened = std::conditional_t<kIsHalf<T>, float, T>;
template <class T>
using Wide64 = std::conditional_t<!std::integral<T>, Widened<T>, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

// Integer arithmetic wraps: done on unsigned numbers.
template <class A, class F>
A Wrapping(A a, A b, F f) {
  if constexpr (std::integral<A>) return static_cast<A>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  else return f(a, b);
}

struct SumOf {
  template <class T>
  using Acc = Wide64<T>;
  template <class A>
  static constexpr A Identity() { return A(0); }
  template <class A>
  static A Apply(A a, A b) { return Wrapping(a, b, [](auto x, auto y) { return x + y; }); }
};
struct ProdOf {
  template <class T>
  using Acc = Wide64<T>;
  template <class A>
  static constexpr A Identity() { return A(1); }
  template <class A>
  static A Apply(A a, A b) { return Wrapping(a, b, [](auto x, auto y) { return x * y; }); }
};
// NaN wins on either side.
struct MaxOf {
  template <class T>
  using Acc = Widened<T>;
  template <class A>
  static constexpr A Identity() {
    return std::floating_point<A> ? -std::numeric_limits<A>::infinity() : std::numeric_limits<A>::lowest();
  }
  template <class A>
  static A Apply(A a, A b) { return (b > a) | (b != b) ? b : a; }
};
struct MinOf {
  template <class T>
  using Acc = Widened<T>;
  template <class A>
  static constexpr A Identity() {
    return std::floating_point<A> ? std::numeric_limits<A>::infinity() : std::numeric_limits<A>::max();
  }
  template <class A>
  static A Apply(A a, A b) { return (b < a) | (b != b) ? b : a; }
};

constexpr int kLanes = 32;

// Lane l folds elements l, l + 32, …; then the lanes fold in halves.
template <class Op, class T, class A>
A FoldDense(const T* x, int64_t n) {
  if (n < kLanes) {
    A a = Op::template Identity<A>();
    for (int64_t i = 0; i < n; ++i) a = Op::Apply(a, static_cast<A>(x[i]));
    return a;
  }
  A lanes[kLanes];
  for (int l = 0; l < kLanes; ++l) lanes[l] = static_cast<A>(x[l]);
  int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) lanes[l] = Op::Apply(lanes[l], static_cast<A>(x[i + l]));
  for (int l = 0; i < n; ++i, ++l) lanes[l] = Op::Apply(lanes[l], static_cast<A>(x[i]));
  for (int w = kLanes / 2; w > 0; w /= 2)
    for (int l = 0; l < w; ++l) lanes[l] = Op::Apply(lanes[l], lanes[l + w]);
  return lanes[0];
}

template <class Op, class T>
constexpr FoldKernel MakeFold() {
  using A = typename Op::template Acc<T>;
  FoldKernel f;
  f.acc = DTypeOf<A>();
  f.dense = [](const void* in, int64_t count, int64_t n, void* acc) {
    for (int64_t o = 0; o < count; ++o) static_cast<A*>(acc)[o] = FoldDense<Op, T, A>(static_cast<const T*>(in) + o * n, n);
  };
  f.rows = [](const void* in, int64_t rows, int64_t stride, int64_t cols, void* acc) {
    const T* x = static_cast<const T*>(in);
    A* a = static_cast<A*>(acc);
    for (int64_t j = 0; j < cols; ++j) a[j] = rows ? static_cast<A>(x[j]) : Op::template Identity<A>();
    for (int64_t i = 1; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j) a[j] = Op::Apply(a[j], static_cast<A>(x[i * stride + j]));
  };
  f.merge = [](void* acc, const void* other, int64_t cols) {
    A* a = static_cast<A*>(acc);
    for (int64_t j = 0; j < cols; ++j) a[j] = Op::Apply(a[j], static_cast<const A*>(other)[j]);
  };
  return f;
}

using FoldRow = std::array<FoldKernel, kNumDTypes>;

template <class Op, class... T>
FoldRow MakeRow() {
  FoldRow row;
  ((row[static_cast<size_t>(DTypeOf<T>())] = MakeFold<Op, T>()), ...);
  return row;
}
template <class Op>
FoldRow MakeOrderedRow() {
  return MakeRow<Op, Half, BFloat16, int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t>();
}
template <class Op>
FoldRow MakeNumberRow() {
  return MakeRow<Op, Half, BFloat16, int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t, std::complex<float>,
                 std::complex<double>>();
}

template <class A>
A Mean(A sum, int64_t count) {
  if constexpr (std::integral<A>) return count ? sum / static_cast<A>(count) : A(0);
  else if constexpr (kIsComplex<A>) return sum / static_cast<typename A::value_type>(count);
  else return sum / static_cast<A>(count);
}

template <class A, class T>
void Finish(const void* acc, void* out, int64_t n, bool mean, int64_t count) {
  const A* a = static_cast<const A*>(acc);
  T* y = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(mean ? Mean(a[i], count) : a[i]);
}

}  // namespace

const FoldKernel& FindFold(Fold fold, DType dtype) {
  static const FoldRow rows[] = {MakeNumberRow<SumOf>(), MakeNumberRow<ProdOf>(), MakeOrderedRow<MaxOf>(), MakeOrderedRow<MinOf>()};
  return rows[static_cast<int>(fold)][static_cast<size_t>(dtype)];
}

void FinishFold(DType acc_dtype, const void* acc, DType dtype, void* out, int64_t n, bool mean, int64_t count) {
  VisitNumeric(dtype, [&]<class T>(T) {
    if constexpr (!kIsHalf<T>) {
      if (acc_dtype == dtype) return Finish<T, T>(acc, out, n, mean, count);
    }
    Finish<Wide64<T>, T>(acc, out, n, mean, count);
  });
}

}  // namespace tandem
