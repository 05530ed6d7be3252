// The reduction tree of reduce.h over the vectors of one target.
#if defined(TANDEM_VECTOR_REDUCE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_VECTOR_REDUCE_INL
#undef TANDEM_VECTOR_REDUCE_INL
#else
#define TANDEM_VECTOR_REDUCE_INL
#endif

#include "kernels/vector/kernels-inl.h"
#include "kernels/vector/reduce.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {

inline constexpr int kAccumulators = 64;

// One step of each reduction: the accumulator's identity, taking an element in, joining two accumulators.
template <typename T> constexpr T LowestOf() {
  return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::min();
}
template <typename T> constexpr T HighestOf() {
  return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}
struct SumStep {
  template <typename T> static constexpr T Identity() { return 0; }
  template <typename V> static HWY_INLINE V Take(V acc, V x) { return acc + x; }
  template <typename V> static HWY_INLINE V Join(V a, V b) { return a + b; }
};
struct SumSquaresStep : SumStep {
  template <typename V> static HWY_INLINE V Take(V acc, V x) { const V square = x * x; return acc + square; }
};
struct ProdStep {
  template <typename T> static constexpr T Identity() { return 1; }
  template <typename V> static HWY_INLINE V Take(V acc, V x) { return acc * x; }
  template <typename V> static HWY_INLINE V Join(V a, V b) { return a * b; }
};
struct MaxStep {
  template <typename T> static constexpr T Identity() { return LowestOf<T>(); }
  template <typename V> static HWY_INLINE V Take(V acc, V x) { return Maximum(acc, x); }
  template <typename V> static HWY_INLINE V Join(V a, V b) { return Maximum(a, b); }
};
struct MinStep {
  template <typename T> static constexpr T Identity() { return HighestOf<T>(); }
  template <typename V> static HWY_INLINE V Take(V acc, V x) { return Minimum(acc, x); }
  template <typename V> static HWY_INLINE V Join(V a, V b) { return Minimum(a, b); }
};

template <typename T> inline constexpr int kFullLanes = Num<T>::kMaxLanes;

// One block: n <= kReduceBlock contiguous elements.
template <typename Step, typename T>
HWY_NOINLINE T ReduceBlock(const T* x, int64_t n) {
  constexpr int kN = kFullLanes<T>, kVectors = kAccumulators / kN;
  using V = Lanes<T, kN>;
  const V identity = V::Const(Step::template Identity<T>());
  V acc[kVectors];
  for (int v = 0; v < kVectors; ++v) acc[v] = identity;
  int64_t k = 0;
  for (; k + kAccumulators <= n; k += kAccumulators) {
    for (int v = 0; v < kVectors; ++v) acc[v] = Step::Take(acc[v], Memory<V>::Load(x + k + v * kN));
  }
  for (int v = 0; k < n; ++v, k += kN) {
    if (k + kN <= n) {
      acc[v] = Step::Take(acc[v], Memory<V>::Load(x + k));
    } else {  // filled up with identities, whose taking in changes nothing (0 for a sum of squares as well)
      T tail[kN];
      for (int j = 0; j < kN; ++j) tail[j] = k + j < n ? x[k + j] : Step::template Identity<T>();
      acc[v] = Step::Take(acc[v], Memory<V>::Load(tail));
    }
  }
  for (int half = kVectors / 2; half >= 1; half /= 2) {
    for (int v = 0; v < half; ++v) acc[v] = Step::Join(acc[v], acc[v + half]);
  }
  alignas(64) T lane[kN];
  Memory<V>::Store(acc[0], lane);
  using One = Lanes<T, 1>;
  for (int half = kN / 2; half >= 1; half /= 2) {
    for (int j = 0; j < half; ++j) {
      Memory<One>::Store(Step::Join(Memory<One>::Load(lane + j), Memory<One>::Load(lane + j + half)), lane + j);
    }
  }
  return lane[0];
}

// Block results meet in double for float, else in T.
template <typename Step, typename T>
T CombineInOrder(const T* partial, int64_t blocks) {
  using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;
  using One = Lanes<Total, 1>;
  Total total = Step::template Identity<Total>();
  for (int64_t b = 0; b < blocks; ++b) {
    const Total block = partial[b];
    Memory<One>::Store(Step::Join(Memory<One>::Load(&total), Memory<One>::Load(&block)), &total);
  }
  return static_cast<T>(total);
}

template <typename Step, typename T>
T ReduceRow(const T* x, int64_t n) {
  using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;
  using One = Lanes<Total, 1>;
  Total total = Step::template Identity<Total>();
  for (int64_t k = 0; k < n; k += kReduceBlock) {
    const Total block = ReduceBlock<Step>(x + k, std::min(kReduceBlock, n - k));
    Memory<One>::Store(Step::Join(Memory<One>::Load(&total), Memory<One>::Load(&block)), &total);
  }
  return static_cast<T>(total);
}

// Columns [begin, end) of x: [n, inner] into y[begin..end).
template <typename Step, typename T>
void ReduceColumns(const T* x, T* y, int64_t n, int64_t inner, int64_t begin, int64_t end) {
  constexpr int kN = kFullLanes<T>, kWidth = 64, kVectors = kWidth / kN;
  constexpr int64_t kRows = 256;
  using V = Lanes<T, kN>;
  using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;
  using One = Lanes<Total, 1>;
  const V identity = V::Const(Step::template Identity<T>());
  for (int64_t c = begin; c < end; c += kWidth) {
    const int width = static_cast<int>(std::min<int64_t>(kWidth, end - c));
    Total total[kWidth];
    std::fill(total, total + width, Step::template Identity<Total>());
    for (int64_t r0 = 0; r0 < n; r0 += kRows) {
      const int64_t r1 = std::min(n, r0 + kRows);
      V acc[kVectors];
      for (int v = 0; v < kVectors; ++v) acc[v] = identity;
      if (width == kWidth) {
        for (int64_t r = r0; r < r1; ++r) {
          for (int v = 0; v < kVectors; ++v) acc[v] = Step::Take(acc[v], Memory<V>::Load(x + r * inner + c + v * kN));
        }
      } else {
        for (int v = 0; v * kN < width; ++v) {
          const size_t lanes = std::min(kN, width - v * kN);
          for (int64_t r = r0; r < r1; ++r) acc[v] = Step::Take(acc[v], Memory<V>::LoadN(x + r * inner + c + v * kN, lanes));
        }
      }
      alignas(64) T block[kWidth];
      for (int v = 0; v < kVectors; ++v) Memory<V>::Store(acc[v], block + v * kN);
      for (int j = 0; j < width; ++j) {
        const Total b = block[j];
        Memory<One>::Store(Step::Join(Memory<One>::Load(total + j), Memory<One>::Load(&b)), total + j);
      }
    }
    for (int j = 0; j < width; ++j) y[c + j] = static_cast<T>(total[j]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#endif  // TANDEM_VECTOR_REDUCE_INL
