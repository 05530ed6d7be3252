// The CPU kernel table: NAMECpu fills the row of op NAME. A missing one is a link error of this library.
#pragma once
#include "core/kernel.h"

namespace tandem {

#define TANDEM_OP(name) void name##Cpu(CpuKernel& kernel);
#include "core/ops/op_list.inc"
#undef TANDEM_OP

// For SetKernelProvider.
void ProvideCpuKernel(OpId op, CpuKernel& kernel);

}  // namespace tandem
