// The number of steps trained so far.
//
//   optimizer.Minimize(loss, GetOrCreateGlobalStep());
//   … GetOrCreateGlobalStep().item<int64_t>() …
#pragma once
#include "core/export.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

// An int64 variable "global_step" that begins at 0 and is not trainable: one for the process, shared with graphs. Safe to
// call from any thread.
Variable GetOrCreateGlobalStep();

}  // namespace tandem::train
TANDEM_EXPORT_END
