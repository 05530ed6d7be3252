// The one place that sees all layers and wires them together. Its initialiser is the only static one of the project.
#include "tandem.h"

#include "core/context.h"
#include "core/device_registry.h"
#include "core/epilogues.h"
#include "core/function.h"
#include "core/function_gradient.h"
#include "core/host_function.h"
#include "core/kernel.h"
#include "eager/eager_context.h"
#include "eager/host_gradient.h"
#include "graph/function_gradients.h"
#include "graph/function_registry.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/epilogue.h"

namespace tandem {
namespace {

const bool wired = [] {
  SetKernelProvider(ProvideCpuKernel);
  SetEpilogueQuery(CpuEpilogueIsExact);
  SetDefaultContext(&DefaultEagerContext());
  SetPlacingContext(&PlacingEagerContext());
  SetHostGradient(&HostGradient);
  SetEagerFunctions(&RegisteredFunctions());
  SetCallGradient(&DifferentiateCall);
  LoadDevicePluginsFromEnvironment();
  return true;
}();

}  // namespace
}  // namespace tandem
