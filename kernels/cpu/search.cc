// Positions of extremes: ArgMax, ArgMin, TopKV2.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <vector>

#include "core/int_values.h"
#include "core/kernel.h"
#include "core/parallel.h"
#include "core/visit.h"

namespace tandem {
namespace {

template <class T>
inline constexpr bool kIsHalf = std::same_as<T, Half> || std::same_as<T, BFloat16>;
// What elements are compared as.
template <class T>
auto Compared(T x) {
  if constexpr (kIsHalf<T>) return static_cast<float>(x);
  else return x;
}

void StoreIndex(TensorRep& out, int64_t at, int64_t index) {
  switch (out.dtype) {
    case kInt16: out.as<int16_t>()[at] = static_cast<int16_t>(index); break;
    case kUint16: out.as<uint16_t>()[at] = static_cast<uint16_t>(index); break;
    case kInt32: out.as<int32_t>()[at] = static_cast<int32_t>(index); break;
    default: out.as<int64_t>()[at] = index;
  }
}

// Whether x takes the place of best: greater (less), or a number after NaN.
template <bool greatest, class V>
bool Beats(V x, V best) {
  if (greatest ? x > best : x < best) return true;
  if constexpr (std::floating_point<V>) return std::isnan(best) && !std::isnan(x);
  else return false;
}

template <bool greatest, class T>
void ArgRows(const TensorRep& in, TensorRep& out, int64_t n, int64_t inner) {
  const T* x = in.as<T>();
  ParallelFor(out.count, std::max<int64_t>((32 << 10) / n, 1), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      const T* at = x + o / inner * n * inner + o % inner;
      auto best = Compared(at[0]);
      int64_t index = 0;
      for (int64_t i = 1; i < n; ++i) {
        const auto value = Compared(at[i * inner]);
        if (!Beats<greatest>(value, best)) continue;
        best = value;
        index = i;
      }
      StoreIndex(out, o, index);
    }
  });
}

template <bool greatest>
absl::Status Arg(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const int64_t asked = IntValue(call.input(1), 0);
  if (asked < -x.rank || asked >= x.rank) return call.Error("dimension is ", asked, ", must be in [", -x.rank, ", ", x.rank, ")");
  const auto axis = static_cast<int>(asked < 0 ? asked + x.rank : asked);
  const int64_t n = x.dims()[axis];
  if (n == 0) return call.Error("dimension ", axis, " has no elements: input is ", DimsToString(x.dims_span()));
  int64_t inner = 1;
  for (int i = axis + 1; i < x.rank; ++i) inner *= x.dims()[i];
  VisitNumeric(x.dtype, [&]<class T>(T) {
    if constexpr (!requires(T v) { v.real(); }) ArgRows<greatest, T>(x, call.output(), n, inner);
  });
  return absl::OkStatus();
}

// Writes the k greatest of a row, best first. `heap` is scratch.
template <class T>
void TopRow(const T* x, int64_t n, int64_t k, std::vector<int64_t>& heap, T* values, TensorRep& indices, int64_t out) {
  const auto before = [x](int64_t a, int64_t b) {
    const auto u = Compared(x[a]), v = Compared(x[b]);
    if (u > v) return true;
    if (u < v) return false;
    if constexpr (std::floating_point<decltype(u)>)
      if (std::isnan(u) != std::isnan(v)) return std::isnan(v);
    return a < b;
  };
  heap.clear();
  if (k > n / 8) {
    for (int64_t i = 0; i < n; ++i) heap.push_back(i);
    if (k < n) std::nth_element(heap.begin(), heap.begin() + k, heap.end(), before);
    std::sort(heap.begin(), heap.begin() + k, before);
  } else if (k > 0) {  // the worst of the k best so far on top
    for (int64_t i = 0; i < n; ++i) {
      if (i < k) {
        heap.push_back(i);
        if (i == k - 1) std::make_heap(heap.begin(), heap.end(), before);
      } else if (before(i, heap.front())) {
        std::pop_heap(heap.begin(), heap.end(), before);
        heap.back() = i;
        std::push_heap(heap.begin(), heap.end(), before);
      }
    }
    std::sort_heap(heap.begin(), heap.end(), before);
  }
  for (int64_t j = 0; j < k; ++j) {
    values[out + j] = x[heap[j]];
    StoreIndex(indices, out + j, heap[j]);
  }
}

absl::Status TopK(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const int64_t k = IntValue(call.input(1), 0), n = x.dims()[x.rank - 1];
  if (k < 0 || k > n) return call.Error("k is ", k, ", must be in [0, ", n, "]: input is ", DimsToString(x.dims_span()));
  if (call.output(0).count == 0) return absl::OkStatus();
  VisitNumeric(x.dtype, [&]<class T>(T) {
    if constexpr (!requires(T v) { v.real(); } && !std::same_as<T, bool>)
      ParallelFor(x.count / n, std::max<int64_t>((4 << 10) / n, 1), [&](int64_t begin, int64_t end) {
        std::vector<int64_t> heap;
        for (int64_t r = begin; r < end; ++r) TopRow(x.as<T>() + r * n, n, k, heap, call.output(0).as<T>(), call.output(1), r * k);
      });
  });
  return absl::OkStatus();
}

constexpr std::initializer_list<DType> kReal = {kFloat32, kFloat64, kFloat16, kBFloat16, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64};

}  // namespace

void ArgMaxCpu(CpuKernel& k) {
  k.Set(kReal, Arg<true>);
  k.Set(kBool, Arg<true>);
}
void ArgMinCpu(CpuKernel& k) {
  k.Set(kReal, Arg<false>);
  k.Set(kBool, Arg<false>);
}
void TopKV2Cpu(CpuKernel& k) { k.Set(kReal, TopK); }

}  // namespace tandem
