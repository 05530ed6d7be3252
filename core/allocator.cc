#include "core/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <vector>

namespace tandem {

constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

namespace {

constexpr unsigned kClasses = 200;
constexpr size_t kChunkBytes = 256 << 10;
constexpr size_t kHugePageBytes = 4 << 20;

// How many free blocks of a class a front keeps, and how many it takes from the central list at a time.
int32_t FrontCapacity(unsigned size_class) {
  return std::clamp(static_cast<int32_t>((128 << 10) / BlockBytes(size_class)), 8, 256);
}

struct Central {
  std::mutex mutex;
  std::array<void*, kClasses> free = {};
  std::vector<ThreadState*> threads;   // with a filled front; for statistics
  int64_t large_live_bytes = 0, large_live_blocks = 0;
  std::array<int64_t, kFrontClasses> small_live = {};  // handed to fronts, less given back by them
  int64_t cached_bytes = 0, cache_limit = int64_t{1} << 30;
  int64_t limit = std::numeric_limits<int64_t>::max();
  int64_t peak_bytes = 0, system_calls = 0;
  char* chunk = nullptr;
  size_t chunk_left = 0;
};

// Never destroyed: static tensors of the user may outlive any destructor of ours.
Central& central() {
  static Central* c = new Central;
  return *c;
}

void* Pop(void*& head) {
  void* block = head;
  if (block) head = *static_cast<void**>(block);
  return block;
}
void Push(void*& head, void* block) {
  *static_cast<void**>(block) = head;
  head = block;
}

void* SystemAllocate(Central& c, size_t bytes) {
  ++c.system_calls;
  void* block = std::aligned_alloc(64, (bytes + 63) & ~size_t{63});
#if !defined(__SANITIZE_ADDRESS__)
  if (block && bytes >= kHugePageBytes) {
    const auto begin = (reinterpret_cast<uintptr_t>(block) + 4095) & ~uintptr_t{4095};
    madvise(reinterpret_cast<void*>(begin), bytes - 4096, MADV_HUGEPAGE);  // advice only: failure costs speed alone
  }
#endif
  return block;
}

void* Carve(Central& c, size_t bytes) {
  if (c.chunk_left < bytes) {
    void* chunk = SystemAllocate(c, kChunkBytes);
    if (!chunk) return nullptr;
    c.chunk = static_cast<char*>(chunk);
    c.chunk_left = kChunkBytes;
  }
  void* block = c.chunk;
  c.chunk += bytes;
  c.chunk_left -= bytes;
  return block;
}

int64_t LiveBytes(const Central& c) {
  int64_t bytes = c.large_live_bytes;
  for (unsigned k = 0; k < kFrontClasses; ++k) bytes += c.small_live[k] * static_cast<int64_t>(BlockBytes(k));
  return bytes;
}

// Gives a thread's free blocks back when it ends. Touched only when a front is filled, so the hot path has no guard.
class FrontFlusher {
 public:
  ~FrontFlusher() {
    Central& c = central();
    std::lock_guard lock(c.mutex);
    for (unsigned k = 0; k < kFrontClasses; ++k) {
      BlockFront& front = thread_state.fronts[k];
      while (void* block = Pop(front.head)) {
        Push(c.free[k], block);
        --c.small_live[k];
      }
      front.count.store(0, std::memory_order_relaxed);
      front.capacity = 0;
    }
    std::erase(c.threads, &thread_state);
    ended_ = true;
  }
  void Touch(Central& c) {
    if (registered_) return;
    registered_ = true;
    c.threads.push_back(&thread_state);
  }
  static bool ended() { return ended_; }

 private:
  bool registered_ = false;
  static thread_local bool ended_;
};
thread_local bool FrontFlusher::ended_ = false;
thread_local FrontFlusher flusher;

}  // namespace

void* AllocateBlockSlow(unsigned size_class) {
  if (size_class >= kClasses) return nullptr;
  Central& c = central();
  std::lock_guard lock(c.mutex);
  const size_t bytes = BlockBytes(size_class);
  if (c.limit != std::numeric_limits<int64_t>::max() && LiveBytes(c) + static_cast<int64_t>(bytes) > c.limit) return nullptr;
  void* block = nullptr;
  if (!kBlocksAreCached || size_class >= kFrontClasses) {
    if ((block = Pop(c.free[size_class]))) {
      c.cached_bytes -= static_cast<int64_t>(bytes);
    } else if (!(block = SystemAllocate(c, bytes))) {
      return nullptr;
    }
    c.large_live_bytes += static_cast<int64_t>(bytes);
    ++c.large_live_blocks;
  } else {
    const bool fill = !FrontFlusher::ended();
    if (fill) flusher.Touch(c);
    BlockFront& front = thread_state.fronts[size_class];
    const int32_t batch = fill ? std::max(FrontCapacity(size_class) / 8, 1) : 1;
    int32_t kept = 0;  // the front is empty, or this call would not be here
    for (int32_t i = 0; i < batch; ++i) {
      void* next = Pop(c.free[size_class]);
      if (!next) next = Carve(c, bytes);
      if (!next) break;
      ++c.small_live[size_class];
      if (!block) {
        block = next;
      } else {
        Push(front.head, next);
        ++kept;
      }
    }
    if (!block) return nullptr;
    if (fill) {
      front.count.store(kept, std::memory_order_relaxed);
      front.capacity = FrontCapacity(size_class);
    }
  }
  c.peak_bytes = std::max(c.peak_bytes, LiveBytes(c));
  return block;
}

void FreeBlockSlow(void* block, unsigned size_class) {
  Central& c = central();
  std::lock_guard lock(c.mutex);
  const auto bytes = static_cast<int64_t>(BlockBytes(size_class));
  if (!kBlocksAreCached || size_class >= kFrontClasses) {
    c.large_live_bytes -= bytes;
    --c.large_live_blocks;
    if (!kBlocksAreCached || c.cached_bytes + bytes > c.cache_limit) {
      std::free(block);
    } else {
      Push(c.free[size_class], block);
      c.cached_bytes += bytes;
    }
    return;
  }
  Push(c.free[size_class], block);
  --c.small_live[size_class];
  if (FrontFlusher::ended()) return;
  // The front is full: half of it moves to the central list with this block, so that a run of frees locks seldom.
  flusher.Touch(c);
  BlockFront& front = thread_state.fronts[size_class];
  front.capacity = FrontCapacity(size_class);
  int32_t kept = front.count.load(std::memory_order_relaxed);
  for (; kept > front.capacity / 2; --kept) {
    Push(c.free[size_class], Pop(front.head));
    --c.small_live[size_class];
  }
  front.count.store(kept, std::memory_order_relaxed);
}

AllocatorStatistics GetAllocatorStatistics() {
  Central& c = central();
  std::lock_guard lock(c.mutex);
  AllocatorStatistics s;
  s.live_bytes = LiveBytes(c);
  s.live_blocks = c.large_live_blocks;
  for (unsigned k = 0; k < kFrontClasses; ++k) s.live_blocks += c.small_live[k];
  // What sits free in a front counts as handed out above. Exact for threads that are at rest.
  for (const ThreadState* thread : c.threads) {
    for (unsigned k = 0; k < kFrontClasses; ++k) {
      const int64_t kept = thread->fronts[k].count.load(std::memory_order_relaxed);
      s.live_blocks -= kept;
      s.live_bytes -= kept * static_cast<int64_t>(BlockBytes(k));
    }
  }
  s.peak_bytes = std::max(c.peak_bytes, s.live_bytes);
  s.cached_bytes = c.cached_bytes;
  s.system_calls = c.system_calls;
  return s;
}

void ResetPeakBytes() {
  Central& c = central();
  std::lock_guard lock(c.mutex);
  c.peak_bytes = LiveBytes(c);
}

void TrimAllocator() {
  Central& c = central();
  std::lock_guard lock(c.mutex);
  for (unsigned k = kFrontClasses; k < kClasses; ++k)
    while (void* block = Pop(c.free[k])) std::free(block);
  c.cached_bytes = 0;
}

void SetAllocatorCacheLimit(int64_t bytes) {
  Central& c = central();
  std::lock_guard lock(c.mutex);
  c.cache_limit = bytes;
}

void SetAllocatorLimit(int64_t bytes) {
  Central& c = central();
  std::lock_guard lock(c.mutex);
  c.limit = bytes;
}

}  // namespace tandem
