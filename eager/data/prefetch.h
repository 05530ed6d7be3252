// Elements made ahead on a thread.
#pragma once
#include "eager/data/node.h"

namespace tandem::data::internal {

// A thread that starts with the first Next and keeps up to buffer_size elements ready.
IteratorPtr PrefetchIterator(IteratorPtr input, int64_t buffer_size);

}  // namespace tandem::data::internal
