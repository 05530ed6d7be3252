// Captured functions by name, for eager calls of PartitionedCall and the like (RegisterFunction of graph/capture.h).
#pragma once
#include "core/function.h"

namespace tandem {

// What tandem.cc gives the eager context.
FunctionRunner& RegisteredFunctions();

}  // namespace tandem
