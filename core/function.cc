#include "core/function.h"

#include "core/function_tracer.h"

namespace tandem {
namespace {
FunctionRunner* eager_functions = nullptr;
}

void SetEagerFunctions(FunctionRunner* runner) { eager_functions = runner; }
FunctionRunner* EagerFunctions() { return eager_functions; }

FunctionTracer* CurrentFunctionTracer() { return dynamic_cast<FunctionTracer*>(&CurrentContext().base()); }

}  // namespace tandem
