#include "kernels/cpu/cpu_kernels.h"
namespace tandem {
namespace {
void DenseAdd(const void* const* in, void* out, int64_t n) {
  const float *a = static_cast<const float*>(in[0]), *b = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = a[i] + b[i];
}
void DenseMul(const void* const* in, void* out, int64_t n) {
  const float *a = static_cast<const float*>(in[0]), *b = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = a[i] * b[i];
}
}  // namespace
void AddV2Cpu(CpuKernel& k) { k.Set(kFloat32, nullptr, DenseAdd); }
void MulCpu(CpuKernel& k) { k.Set(kFloat32, nullptr, DenseMul); }
void IdentityCpu(CpuKernel&) {}
}  // namespace tandem
