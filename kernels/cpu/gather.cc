#include "core/int_values.h"
#include "core/parallel.h"
#include "core/visit.h"
#include "kernels/cpu/check_indices.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/nd_offsets.h"
#include "kernels/cpu/storage.h"

namespace tandem {
namespace {

// Elements a task must copy to be worth a thread.
constexpr int64_t kGrain = 32 << 10;

// out[i] = params[row(i)], rows of `width` elements; row(i) negative gives zeros. Single elements are copied without the
// call that a row takes.
template <class Row>
void CopyRows(DType dtype, const void* params, void* out, int64_t rows, int64_t width, Row&& row) {
  if (width == 0) return;
  ParallelFor(rows, std::max<int64_t>(1, kGrain / width), [&](int64_t begin, int64_t end) {
    if (width == 1) {
      VisitStorage(dtype, [&]<class T>(std::type_identity<T>) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t r = row(i);
          static_cast<T*>(out)[i] = r < 0 ? T() : static_cast<const T*>(params)[r];
        }
      });
      return;
    }
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = row(i);
      void* to = ElementAt(out, dtype, i * width);
      if (r < 0) ZeroElements(dtype, to, width);
      else CopyElements(dtype, ElementAt(params, dtype, r * width), to, width);
    }
  });
}

// params: [batch, outer, n, inner], indices: [batch, m] -> [batch, outer, m, inner].
template <class Index>
absl::Status GatherRows(KernelCall& call, int64_t axis, int64_t batch_dims) {
  const TensorRep& params = call.input(0);
  const TensorRep& indices = call.input(1);
  const int64_t n = params.dims()[axis];
  RETURN_IF_ERROR(CheckIndices<Index>(call, "indices", indices, n));
  int64_t batch = 1, outer = 1, inner = 1;
  for (int64_t k = 0; k < params.rank; ++k)
    if (k != axis) (k < batch_dims ? batch : k < axis ? outer : inner) *= params.dims()[k];
  if (call.output().count == 0) return absl::OkStatus();
  const int64_t m = indices.count / batch;
  const Index* at = indices.as<Index>();
  if (batch == 1 && outer == 1) {
    CopyRows(params.dtype, params.data, call.output().data, m, inner, [=](int64_t i) -> int64_t { return at[i]; });
  } else {
    CopyRows(params.dtype, params.data, call.output().data, batch * outer * m, inner, [=](int64_t i) -> int64_t {
      const int64_t block = i / m;  // of batch * outer
      return block * n + at[block / outer * m + i % m];
    });
  }
  return absl::OkStatus();
}

absl::Status Gather(KernelCall& call) {
  int64_t axis = IntValue(call.input(2), 0), batch = call.attr<int64_t>("batch_dims");
  if (axis < 0) axis += call.input(0).rank;
  if (batch < 0) batch += call.input(1).rank;
  switch (call.input(1).dtype) {
    case kInt16: return GatherRows<int16_t>(call, axis, batch);
    case kInt32: return GatherRows<int32_t>(call, axis, batch);
    default: return GatherRows<int64_t>(call, axis, batch);
  }
}

absl::Status GatherNd(KernelCall& call) {
  const TensorRep& params = call.input(0);
  NdOffsets offsets;
  RETURN_IF_ERROR(offsets.Compute(call, call.input(1), "indices", params.dims_span(), "params"));
  const int64_t* at = offsets.data();
  CopyRows(params.dtype, params.data, call.output().data, offsets.size(), offsets.slice(), [=](int64_t i) { return at[i]; });
  return absl::OkStatus();
}

template <class T>
bool NotZero(const T& x) {
  if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) return (x.bits & 0x7fff) != 0;
  else return x != T(0);
}

template <class T>
absl::Status Where(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const T* in = x.as<T>();
  int64_t n = 0;
  for (int64_t i = 0; i < x.count; ++i) n += NotZero(in[i]);
  RETURN_IF_ERROR(call.Allocate(0, {n, x.rank}, kInt64));
  int64_t* out = call.output().as<int64_t>();
  IntVector index(x.rank, 0);
  for (int64_t i = 0; i < x.count; ++i) {
    if (NotZero(in[i])) out = std::copy(index.begin(), index.end(), out);
    for (int k = x.rank - 1; k >= 0 && ++index[k] == x.dims()[k]; --k) index[k] = 0;
  }
  return absl::OkStatus();
}

}  // namespace

void GatherV2Cpu(CpuKernel& k) { k.SetAll(Gather); }
void GatherNdCpu(CpuKernel& k) { k.SetAll(GatherNd); }
void WhereCpu(CpuKernel& k) {
  for (int d = 1; d < kNumDTypes; ++d)
    VisitNumeric(static_cast<DType>(d), [&]<class T>(T) { k.Set(DTypeOf<T>(), Where<T>); });
}

}  // namespace tandem
