#include "core/kernel.h"

namespace tandem {
namespace {

template <class T>
absl::Status StoreSize(KernelCall& call, int64_t size, int64_t at) {
  if (!std::in_range<T>(size)) return call.Error("input is ", call.input(0).shape().ToString(), ", ", size, " does not fit int32");
  call.output().as<T>()[at] = static_cast<T>(size);
  return absl::OkStatus();
}

template <class T>
absl::Status ShapeOf(KernelCall& call) {
  const TensorRep& x = call.input(0);
  for (int k = 0; k < x.rank; ++k) RETURN_IF_ERROR(StoreSize<T>(call, x.dims()[k], k));
  return absl::OkStatus();
}

template <class T>
absl::Status SizeOf(KernelCall& call) {
  return StoreSize<T>(call, call.input(0).count, 0);
}

absl::Status RankOf(KernelCall& call) { return StoreSize<int32_t>(call, call.input(0).rank, 0); }

}  // namespace

void ShapeCpu(CpuKernel& k) {
  k.Set(kInt32, ShapeOf<int32_t>);
  k.Set(kInt64, ShapeOf<int64_t>);
}
void SizeCpu(CpuKernel& k) {
  k.Set(kInt32, SizeOf<int32_t>);
  k.Set(kInt64, SizeOf<int64_t>);
}
void RankCpu(CpuKernel& k) { k.SetAll(RankOf); }

// Views: whoever runs them hands the input's elements on.
void ReshapeCpu(CpuKernel&) {}
void ExpandDimsCpu(CpuKernel&) {}
void SqueezeCpu(CpuKernel&) {}

}  // namespace tandem
