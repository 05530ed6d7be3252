// All thread-local state of the library, in one small constant-initialised struct: a dynamic initialiser or a second
// thread-local object would cost a guard on every op.
#pragma once
#include <atomic>
#include <cstdint>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class Context;

inline constexpr unsigned kFrontClasses = 33;  // blocks up to 32 KiB

// Free blocks of one class that this thread keeps. The count is atomic only so that statistics may read it from another
// thread: its owner loads and stores it relaxed, which costs a plain increment. Capacity 0: never filled, or the thread
// is ending; frees then go to the central list.
struct BlockFront {
  void* head = nullptr;
  std::atomic<int32_t> count = 0;
  int32_t capacity = 0;
};

struct ThreadState {
  BlockFront fronts[kFrontClasses];
  Context* context = nullptr;  // the top of this thread's context stack; null = the default eager context
  int max_threads = 0;         // budget for parallel loops; 0 = all cores (core/parallel.h)
};

extern constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

}  // namespace tandem
TANDEM_EXPORT_END
