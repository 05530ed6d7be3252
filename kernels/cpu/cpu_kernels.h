// The CPU kernels of the built-in ops: NAMECpu(CpuKernel&) of each op in core/ops/op_list.inc fills its row. A missing one
// is a link error of this library. Only the table's own file lists them: adding an op recompiles no kernel.
#pragma once
#include "core/kernel.h"

namespace tandem {

// For SetKernelProvider.
void ProvideCpuKernel(OpId op, CpuKernel& kernel);

}  // namespace tandem
