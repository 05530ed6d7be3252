#include "kernels/vector/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/softmax.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/reduce-inl.h"

// Included again for each target, so guarded.
#ifndef TANDEM_VECTOR_SOFTMAX_TABLE
#define TANDEM_VECTOR_SOFTMAX_TABLE
namespace tandem::vec {
struct SoftmaxTable {
  void (*softmax[2])(const void* x, void* y, int64_t rows, int64_t n);      // float, double
  void (*log_softmax[2])(const void* x, void* y, int64_t rows, int64_t n);
};
}  // namespace tandem::vec
#endif

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

// y = f(x) over a row; f maps vectors of float or double.
template <typename T, typename F>
HWY_INLINE void MapRow(const T* x, T* y, int64_t n, F f) {
  using V = Lanes<T, kFullLanes<T>>;
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) Memory<V>::Store(f(Memory<V>::Load(x + i)), y + i);
  if (i < n) Memory<V>::StoreN(f(Memory<V>::LoadN(x + i, n - i)), y + i, n - i);
}

template <typename V> struct ExpOfDifference {
  V m;
  HWY_INLINE V operator()(V x) const { return Exp(x - m); }
};
template <typename V> struct Quotient {
  V divisor;
  HWY_INLINE V operator()(V x) const { return x / divisor; }
};
template <typename V> struct LogDifference {
  V m, log;
  HWY_INLINE V operator()(V x) const { return (x - m) - log; }
};

template <typename T>
void SoftmaxRows(const void* x, void* y, int64_t rows, int64_t n) {
  using V = Lanes<T, kFullLanes<T>>;
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = static_cast<const T*>(x) + r * n;
    T* to = static_cast<T*>(y) + r * n;
    MapRow(from, to, n, ExpOfDifference<V>{V::Const(ReduceRow<MaxStep>(from, n))});
    MapRow(to, to, n, Quotient<V>{V::Const(ReduceRow<SumStep>(to, n))});
  }
}

template <typename T>
void LogSoftmaxRows(const void* x, void* y, int64_t rows, int64_t n) {
  using V = Lanes<T, kFullLanes<T>>;
  // The exponentials of a block are summed where they were made; blocks as in ReduceRow.
  using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;
  alignas(64) T block[kReduceBlock];
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = static_cast<const T*>(x) + r * n;
    const V m = V::Const(ReduceRow<MaxStep>(from, n));
    Total total = 0;
    for (int64_t k = 0; k < n; k += kReduceBlock) {
      const int64_t count = std::min(kReduceBlock, n - k);
      MapRow(from + k, block, count, ExpOfDifference<V>{m});
      total += ReduceBlock<SumStep>(block, count);
    }
    const V log = Log(V::Const(static_cast<T>(total)));
    MapRow(from, static_cast<T*>(y) + r * n, n, LogDifference<V>{m, log});
  }
}

}  // namespace

void FillSoftmax(SoftmaxTable& table) {
  table = {{SoftmaxRows<float>, SoftmaxRows<double>}, {LogSoftmaxRows<float>, LogSoftmaxRows<double>}};
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/vector/isa_tables.h"

namespace tandem {
namespace vec {
namespace {
HWY_EXPORT(FillSoftmax);
void AddSoftmax(SoftmaxTable& table) { HWY_DYNAMIC_DISPATCH(FillSoftmax)(table); }
const SoftmaxTable& Table() {
  static IsaTables<SoftmaxTable> tables(AddSoftmax);
  static const SoftmaxTable& active = tables[ActiveIsa()];
  return active;
}
}  // namespace
}  // namespace vec

void Softmax(VecType type, const void* x, void* y, int64_t rows, int64_t n) {
  vec::Table().softmax[type == VecType::kF64](x, y, rows, n);
}
void LogSoftmax(VecType type, const void* x, void* y, int64_t rows, int64_t n) {
  vec::Table().log_softmax[type == VecType::kF64](x, y, rows, n);
}

}  // namespace tandem
#endif
