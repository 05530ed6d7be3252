#include "core/kernel.h"
namespace tandem {
namespace {
void DenseAdd(const void* x, const void* y, void* out, int64_t n) {
  const float *a = static_cast<const float*>(x), *b = static_cast<const float*>(y);
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = a[i] + b[i];
}
void DenseMul(const void* x, const void* y, void* out, int64_t n) {
  const float *a = static_cast<const float*>(x), *b = static_cast<const float*>(y);
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = a[i] * b[i];
}
}  // namespace
void AddV2Cpu(CpuKernel& k) { k.Set(kFloat32, nullptr, DenseAdd); k.dense_inputs = 2; k.dense_broadcasts = true; }
void MulCpu(CpuKernel& k) { k.Set(kFloat32, nullptr, DenseMul); k.dense_inputs = 2; k.dense_broadcasts = true; }
}  // namespace tandem
