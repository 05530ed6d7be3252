// Map on several threads.
#pragma once
#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {

// `calls` threads take elements of the input in turn and call the function, at most twice as many elements ahead. The
// function outlives the iterator. Deterministic: results come in the input's order, else as they are done.
IteratorPtr ParallelMap(IteratorPtr input, const Function& function, int calls, bool deterministic);

}  // namespace tandem::data::internal
