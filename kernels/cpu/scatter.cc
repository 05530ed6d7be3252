#include "core/int_values.h"
#include "core/visit.h"
#include "kernels/cpu/check_indices.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/nd_offsets.h"
#include "kernels/cpu/storage.h"

namespace tandem {
namespace {

// What sums are kept in: half types in float.
template <class T>
using Wide = std::conditional_t<std::same_as<T, Half> || std::same_as<T, BFloat16>, float, T>;

template <class T>
void AddTo(T& sum, const T& x) {
  if constexpr (std::same_as<T, bool>) sum = sum || x;
  else if constexpr (std::integral<T>) sum = static_cast<T>(std::make_unsigned_t<T>(sum) + std::make_unsigned_t<T>(x));
  else sum += x;
}

// Adds rows of `width` elements into `out`, zeroed first: row i of updates to row at(i), left out where that is negative.
// In order, so that the sums depend on nothing but the indices.
template <class T, class At>
absl::Status AddRows(const KernelCall& call, const TensorRep& updates, int64_t rows, int64_t width, At&& at) {
  const TensorRep& y = call.output();
  Scratch<Wide<T>> wide;
  Wide<T>* out = static_cast<Wide<T>*>(y.data);
  if constexpr (!std::same_as<T, Wide<T>>) {
    RETURN_IF_ERROR(wide.Reserve(call.schema.name(), y.count));
    out = wide.data();
  }
  std::fill_n(out, y.count, Wide<T>());
  const T* in = updates.as<T>();
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = at(i);
    if (row < 0) continue;
    for (int64_t j = 0; j < width; ++j) AddTo(out[row * width + j], static_cast<Wide<T>>(in[i * width + j]));
  }
  if constexpr (!std::same_as<T, Wide<T>>)
    for (int64_t i = 0; i < y.count; ++i) static_cast<T*>(y.data)[i] = T(out[i]);
  return absl::OkStatus();
}

template <class T>
absl::Status ScatterNd(KernelCall& call) {
  NdOffsets offsets;
  RETURN_IF_ERROR(offsets.Compute(call, call.input(0), "indices", call.output().dims_span(), "shape"));
  const int64_t* at = offsets.data();
  return AddRows<T>(call, call.input(1), offsets.size(), offsets.slice(), [=](int64_t i) { return at[i]; });
}

absl::Status TensorScatterUpdate(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const TensorRep& updates = call.input(2);
  const TensorRep& y = call.output();
  NdOffsets offsets;
  RETURN_IF_ERROR(offsets.Compute(call, call.input(1), "indices", x.dims_span(), "tensor"));
  CopyElements(x.dtype, x.data, y.data, x.count);
  const int64_t slice = offsets.slice();
  for (int64_t i = 0; i < offsets.size(); ++i) {
    if (offsets.data()[i] < 0) continue;
    CopyElements(x.dtype, ElementAt(static_cast<const void*>(updates.data), x.dtype, i * slice),
                 ElementAt(y.data, x.dtype, offsets.data()[i] * slice), slice);
  }
  return absl::OkStatus();
}

template <class T>
absl::Status UnsortedSegmentSum(KernelCall& call) {
  const TensorRep& data = call.input(0);
  const TensorRep& ids = call.input(1);
  const int64_t num = call.output().dims()[0];
  int64_t width = 1;
  for (int k = ids.rank; k < data.rank; ++k) width *= data.dims()[k];
  for (int64_t i = 0; i < ids.count; ++i)
    if (const int64_t id = IntValue(ids, i); id >= num)
      return call.Error("segment_ids", Position(ids.dims_span(), i), " = ", id, ", must be less than num_segments, which is ", num);
  return AddRows<T>(call, data, ids.count, width, [&](int64_t i) { return IntValue(ids, i); });
}

}  // namespace

void ScatterNdCpu(CpuKernel& k) {
  for (int d = 1; d < kNumDTypes; ++d)
    VisitNumeric(static_cast<DType>(d), [&]<class T>(T) { k.Set(DTypeOf<T>(), ScatterNd<T>); });
  k.Set(kString, ScatterNd<std::string>);  // strings are joined
}
void TensorScatterUpdateCpu(CpuKernel& k) { k.SetAll(TensorScatterUpdate); }
void UnsortedSegmentSumCpu(CpuKernel& k) {
  for (int d = 1; d < kNumDTypes; ++d)
    VisitNumeric(static_cast<DType>(d), [&]<class T>(T) {
      if constexpr (!std::same_as<T, bool>) k.Set(DTypeOf<T>(), UnsortedSegmentSum<T>);
    });
}

}  // namespace tandem
