#include <algorithm>
#include <cstring>
#include <string>

#include "core/status.h"
#include "core/visit.h"
#include "core/kernel.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/tensor_list.h"

namespace tandem {
namespace {

absl::Status ZerosKernel(KernelCall& call) {
  TensorRep& out = call.output();
  if (out.dtype == kString) std::fill_n(out.as<std::string>(), out.count, std::string());
  else std::memset(out.data, 0, static_cast<size_t>(out.bytes()));
  return absl::OkStatus();
}

absl::Status OnesKernel(KernelCall& call) {
  TensorRep& out = call.output();
  VisitNumeric(out.dtype, [&]<class T>(T) {
    if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) std::fill_n(out.as<T>(), out.count, T(1.0f));
    else std::fill_n(out.as<T>(), out.count, T(1));
  });
  return absl::OkStatus();
}

void SetNumbers(CpuKernel& k, KernelFn fn) {
  const auto set = [&](const auto& dtypes) {
    for (DType d : dtypes) k.Set(d, fn);
  };
  set(kFloatTypes), set(kSignedTypes), set(kUnsignedTypes), set(kComplexTypes), set(kBoolType);
}

}  // namespace

void ZerosLikeCpu(CpuKernel& k) {
  SetNumbers(k, ZerosKernel);
  k.Set(kString, ZerosKernel);
  k.Set(kVariant, ZerosLikeVariant);
}
void OnesLikeCpu(CpuKernel& k) { SetNumbers(k, OnesKernel); }

}  // namespace tandem
