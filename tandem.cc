// The one place that sees all layers and wires them together. Its initialiser is the only static one of the project.
#include "tandem.h"

#include "core/context.h"
#include "core/kernel.h"
#include "eager/eager_context.h"
#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

const bool wired = [] {
  SetKernelProvider(ProvideCpuKernel);
  SetDefaultContext(&DefaultEagerContext());
  return true;
}();

}  // namespace
}  // namespace tandem
