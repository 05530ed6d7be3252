#include "core/kernel.h"
#include "core/parallel.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/strided_copy.h"
#include "kernels/vector/transpose.h"

namespace tandem {
namespace {

absl::Status Transpose(KernelCall& call) {
  constexpr int64_t kGrain = 32 << 10;  // elements worth a thread
  const TensorRep& x = call.input(0);
  const TensorRep& y = call.output();
  if (x.count == 0) return absl::OkStatus();
  IntVector perm = IntValues(call.input(1));
  for (int64_t& p : perm) p += p < 0 ? static_cast<int64_t>(perm.size()) : 0;
  const int64_t bytes = static_cast<int64_t>(DTypeSize(x.dtype));
  if (bytes == 0) {  // strings and handles: copied as objects
    const IntVector strides = DenseStrides(x.dims_span());
    IntVector from(perm.size());
    for (size_t k = 0; k < perm.size(); ++k) from[k] = strides[perm[k]];
    CopyStrided(x.dtype, y.dims_span(), x.data, from, y.data, DenseStrides(y.dims_span()));
    return absl::OkStatus();
  }
  const TransposePlan plan(x.dims_span(), perm, bytes);
  const int64_t grain = std::max<int64_t>(1, kGrain / (x.count / plan.tiles()));
  ParallelFor(plan.tiles(), grain, [&](int64_t begin, int64_t end) { plan.Run(x.data, y.data, begin, end); });
  return absl::OkStatus();
}

template <class T>
absl::Status InvertPermutation(KernelCall& call) {
  const int64_t n = call.input(0).count;
  const T* x = call.input(0).as<T>();
  T* y = call.output().as<T>();
  std::fill_n(y, n, T{-1});
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] < 0 || x[i] >= n) return call.Error("x[", i, "] = ", x[i], " is not in [0, ", n, ")");
    if (y[x[i]] >= 0) return call.Error("x has ", x[i], " twice: at ", y[x[i]], " and ", i);
    y[x[i]] = static_cast<T>(i);
  }
  return absl::OkStatus();
}

// Checks the axes again: the output's shape does not depend on them, so inference may not have seen them.
absl::Status Reverse(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const int rank = x.rank;
  IntVector from = DenseStrides(x.dims_span());
  const IntVector to = from, axes = IntValues(call.input(1));
  std::vector<bool> seen(rank, false);
  int64_t offset = 0;
  for (size_t k = 0; k < axes.size(); ++k) {
    const int64_t a = axes[k];
    if (a < -rank || a >= rank) return call.Error("axis[", k, "] is ", a, ", must be in [", -rank, ", ", rank, ")");
    const int64_t axis = a < 0 ? a + rank : a;
    if (seen[axis]) return call.Error("axis has ", axis, " twice: ", ListText(axes));
    seen[axis] = true;
    offset += (x.dims()[axis] - 1) * from[axis];
    from[axis] = -from[axis];
  }
  if (x.count == 0) return absl::OkStatus();
  CopyStrided(x.dtype, x.dims_span(), ElementAt(x.data, x.dtype, offset), from, call.output().data, to);
  return absl::OkStatus();
}

}  // namespace

void TransposeCpu(CpuKernel& k) { k.SetAll(Transpose); }
void InvertPermutationCpu(CpuKernel& k) {
  k.Set(kInt32, InvertPermutation<int32_t>);
  k.Set(kInt64, InvertPermutation<int64_t>);
}
void ReverseV2Cpu(CpuKernel& k) { k.SetAll(Reverse); }

}  // namespace tandem
