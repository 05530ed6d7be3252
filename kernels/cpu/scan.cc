// Running sums and products: one pass in order, over tiles of columns.
#include <algorithm>
#include <concepts>
#include <type_traits>

#include "core/int_values.h"
#include "core/kernel.h"
#include "core/parallel.h"
#include "core/visit.h"

namespace tandem {
namespace {

template <class T>
struct Widened {
  using type = T;
};
template <>
struct Widened<Half> {
  using type = float;
};
template <>
struct Widened<BFloat16> {
  using type = float;
};

// Integers wrap: arithmetic on unsigned 64 bits.
template <bool product, class A>
A Step(A a, A b) {
  if constexpr (std::integral<A>) {
    const auto u = static_cast<uint64_t>(a), v = static_cast<uint64_t>(b);
    return static_cast<A>(product ? u * v : u + v);
  } else {
    return product ? a * b : a + b;
  }
}

template <bool product, class T>
void ScanOf(const TensorRep& in, TensorRep& out, int64_t n, int64_t inner, bool exclusive, bool reverse) {
  using A = typename Widened<T>::type;
  constexpr int64_t kTile = 64;
  const int64_t tiles = (inner + kTile - 1) / kTile, outer = in.count / (n * inner);
  ParallelFor(outer * tiles, std::max<int64_t>((16 << 10) / (n * std::min(inner, kTile)), 1), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t base = t / tiles * n * inner + t % tiles * kTile, cols = std::min(kTile, inner - t % tiles * kTile);
      A running[kTile];
      std::fill_n(running, cols, product ? A(1) : A(0));
      for (int64_t k = 0; k < n; ++k) {
        const int64_t row = base + (reverse ? n - 1 - k : k) * inner;
        const T* x = in.as<T>() + row;
        T* y = out.as<T>() + row;
        for (int64_t j = 0; j < cols; ++j) {
          const A next = Step<product>(running[j], static_cast<A>(x[j]));
          y[j] = static_cast<T>(exclusive ? running[j] : next);
          running[j] = next;
        }
      }
    }
  });
}

template <bool product>
absl::Status Scan(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const int64_t asked = IntValue(call.input(1), 0);
  if (asked < -x.rank || asked >= x.rank) return call.Error("axis is ", asked, ", must be in [", -x.rank, ", ", x.rank, ")");
  if (x.count == 0) return absl::OkStatus();
  const auto axis = static_cast<int>(asked < 0 ? asked + x.rank : asked);
  int64_t inner = 1;
  for (int i = axis + 1; i < x.rank; ++i) inner *= x.dims()[i];
  VisitNumeric(x.dtype, [&]<class T>(T) {
    if constexpr (!std::same_as<T, bool>)
      ScanOf<product, T>(x, call.output(), x.dims()[axis], inner, call.attr<bool>("exclusive"), call.attr<bool>("reverse"));
  });
  return absl::OkStatus();
}

constexpr std::initializer_list<DType> kNumbers = {kFloat32, kFloat64, kFloat16, kBFloat16, kInt8, kInt16, kInt32, kInt64,
                                                   kUint8, kUint16, kUint32, kUint64, kComplex64, kComplex128};

}  // namespace

void CumsumCpu(CpuKernel& k) { k.Set(kNumbers, Scan<false>); }
void CumprodCpu(CpuKernel& k) { k.Set(kNumbers, Scan<true>); }

}  // namespace tandem
