#include "kernels/cpu/strided_copy.h"

#include <algorithm>

#include "core/parallel.h"
#include "kernels/cpu/storage.h"

namespace tandem {
namespace {

struct Loop {
  int64_t n, from, to;  // strides in elements
};
using Loops = absl::InlinedVector<Loop, 8>;

// Elements a task must have to be worth a thread.
constexpr int64_t kGrain = 32 << 10;

// Without loops of one step, and with neighbours that walk on where the inner one ends merged.
Loops Merge(std::span<const int64_t> dims, std::span<const int64_t> from, std::span<const int64_t> to) {
  Loops loops;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] == 1) continue;
    if (!loops.empty() && loops.back().from == dims[k] * from[k] && loops.back().to == dims[k] * to[k])
      loops.back() = {loops.back().n * dims[k], from[k], to[k]};
    else
      loops.push_back({dims[k], from[k], to[k]});
  }
  return loops;
}

template <class T>
void CopyRun(const T* from, T* to, const Loop& loop, int64_t n) {
  if (loop.from == 1 && loop.to == 1) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (n * sizeof(T) >= 32) {
        std::memcpy(to, from, n * sizeof(T));
        return;
      }
    }
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  } else if (loop.from == 0 && loop.to == 1) {
    std::fill_n(to, n, *from);
  } else if (loop.to == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * loop.from];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * loop.to] = from[i * loop.from];
  }
}

// Runs [begin, end) of the outer loops, flattened; the innermost is copied whole.
template <class T>
void CopyRuns(const Loops& loops, const T* from, T* to, int64_t begin, int64_t end) {
  const Loop inner = loops.back();
  const int outer = static_cast<int>(loops.size()) - 1;
  absl::InlinedVector<int64_t, 8> index(outer, 0);
  for (int64_t k = outer - 1, rest = begin; k >= 0; --k) {
    index[k] = rest % loops[k].n;
    rest /= loops[k].n;
    from += index[k] * loops[k].from;
    to += index[k] * loops[k].to;
  }
  for (int64_t i = begin; i < end; ++i) {
    CopyRun(from, to, inner, inner.n);
    for (int k = outer - 1; k >= 0; --k) {
      from += loops[k].from;
      to += loops[k].to;
      if (++index[k] < loops[k].n) break;
      from -= loops[k].from * loops[k].n;
      to -= loops[k].to * loops[k].n;
      index[k] = 0;
    }
  }
}

template <class T>
void Copy(const Loops& loops, const T* from, T* to, int64_t count) {
  const Loop& inner = loops.back();
  const int64_t runs = count / inner.n;
  if (runs == 1) {
    ParallelFor(inner.n, kGrain, [&](int64_t begin, int64_t end) {
      CopyRun(from + begin * inner.from, to + begin * inner.to, inner, end - begin);
    });
  } else {
    ParallelFor(runs, std::max<int64_t>(1, kGrain / inner.n), [&](int64_t begin, int64_t end) {
      CopyRuns(loops, from, to, begin, end);
    });
  }
}

}  // namespace

void CopyStrided(DType dtype, std::span<const int64_t> dims, const void* from, std::span<const int64_t> from_strides,
                 void* to, std::span<const int64_t> to_strides) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  if (count == 0) return;
  const Loops loops = Merge(dims, from_strides, to_strides);
  VisitStorage(dtype, [&]<class T>(std::type_identity<T>) {
    if (loops.empty()) *static_cast<T*>(to) = *static_cast<const T*>(from);
    else Copy(loops, static_cast<const T*>(from), static_cast<T*>(to), count);
  });
}

IntVector DenseStrides(std::span<const int64_t> dims) {
  IntVector strides(dims.size());
  int64_t stride = 1;
  for (size_t k = dims.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= dims[k];
  }
  return strides;
}

void FillElements(DType dtype, const void* value, void* to, int64_t n) {
  const int64_t zero = 0, one = 1;
  CopyStrided(dtype, {&n, 1}, value, {&zero, 1}, to, {&one, 1});
}

}  // namespace tandem
