#include "kernels/cpu/cpu_kernels.h"

namespace tandem {

#define TANDEM_OP(name) void name##Cpu(CpuKernel& kernel);
#include "core/ops/op_list.inc"
#undef TANDEM_OP

void ProvideCpuKernel(OpId op, CpuKernel& kernel) {
  using Fill = void (*)(CpuKernel&);
  static constexpr Fill kFill[] = {
#define TANDEM_OP(name) name##Cpu,
#include "core/ops/op_list.inc"
#undef TANDEM_OP
  };
  kFill[static_cast<int>(op)](kernel);
}

}  // namespace tandem
