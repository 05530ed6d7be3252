#include "core/int_values.h"
#include "core/parallel.h"
#include "core/visit.h"
#include "core/kernel.h"
#include "kernels/cpu/storage.h"

namespace tandem {
namespace {

absl::Status Fill(KernelCall& call) {
  const TensorRep& y = call.output();
  FillElements(y.dtype, call.input(1).data, y.data, y.count);
  return absl::OkStatus();
}

// start + i * delta, in the type itself; half and bfloat16 in float32. Integers wrap harmlessly: i stays in range.
template <class T>
absl::Status Range(KernelCall& call) {
  T* y = call.output().as<T>();
  const T start = *call.input(0).as<T>(), delta = *call.input(2).as<T>();
  ParallelFor(call.output().count, 32 << 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if constexpr (std::integral<T>) y[i] = static_cast<T>(uint64_t(start) + uint64_t(i) * uint64_t(delta));
      else if constexpr (std::is_floating_point_v<T>) y[i] = start + static_cast<T>(i) * delta;
      else y[i] = T(float(start) + static_cast<float>(i) * float(delta));
    }
  });
  return absl::OkStatus();
}

// Off everywhere, then on at each index: [outer, depth, inner].
absl::Status OneHot(KernelCall& call) {
  const TensorRep& indices = call.input(0);
  const TensorRep& y = call.output();
  const int64_t axis = call.attr<int64_t>("axis"), depth = IntValue(call.input(1), 0);
  int64_t inner = 1;
  if (axis >= 0)
    for (int k = static_cast<int>(axis); k < indices.rank; ++k) inner *= indices.dims()[k];
  FillElements(y.dtype, call.input(3).data, y.data, y.count);
  if (y.count == 0) return absl::OkStatus();
  VisitStorage(y.dtype, [&]<class T>(std::type_identity<T>) {
    const T& on = *static_cast<const T*>(call.input(2).data);
    T* out = static_cast<T*>(y.data);
    for (int64_t i = 0; i < indices.count; ++i) {
      const int64_t index = IntValue(indices, i);
      if (index >= 0 && index < depth) out[(i / inner * depth + index) * inner + i % inner] = on;
    }
  });
  return absl::OkStatus();
}

}  // namespace

void FillCpu(CpuKernel& k) { k.SetAll(Fill); }
void OneHotCpu(CpuKernel& k) { k.SetAll(OneHot); }
void RangeCpu(CpuKernel& k) {
  k.Set(kInt8, Range<int8_t>);
  k.Set(kInt16, Range<int16_t>);
  k.Set(kInt32, Range<int32_t>);
  k.Set(kInt64, Range<int64_t>);
  k.Set(kUint16, Range<uint16_t>);
  k.Set(kUint32, Range<uint32_t>);
  k.Set(kUint64, Range<uint64_t>);
  k.Set(kFloat32, Range<float>);
  k.Set(kFloat64, Range<double>);
  k.Set(kFloat16, Range<Half>);
  k.Set(kBFloat16, Range<BFloat16>);
}

}  // namespace tandem
