#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

absl::Status StringJoin(KernelCall& call) {
  const auto separator = call.attr<std::string_view>("separator");
  TensorRep& out = call.output();
  for (int64_t i = 0; i < out.count; ++i) {
    std::string joined;
    for (size_t k = 0; k < call.inputs.size(); ++k) {
      const TensorRep& input = call.input(static_cast<int>(k));
      if (k) joined += separator;
      joined += input.as<std::string>()[input.rank == 0 ? 0 : i];
    }
    out.as<std::string>()[i] = std::move(joined);
  }
  return absl::OkStatus();
}

}  // namespace

void StringJoinCpu(CpuKernel& k) { k.SetAll(StringJoin); }

}  // namespace tandem
