// The caching allocator under every tensor: blocks of fixed size classes, a front per thread, a bounded central cache.
//
//   const unsigned size_class = SizeClass(bytes);
//   void* block = AllocateBlock(size_class);     // 64-byte aligned; null when the system has no more
//   FreeBlock(block, size_class);
//
// Any thread may free what another allocated. A warm allocation takes no lock and makes no call to the system
// allocator. Classes are quarter steps between powers of two, from 128 bytes on. Under AddressSanitizer each block is
// an allocation of its own, so that a use after free is seen.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/export.h"
#include "core/thread_state.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct AllocatorStatistics {
  int64_t live_bytes = 0;      // in blocks handed out, sizes rounded up to their class
  int64_t live_blocks = 0;
  int64_t peak_bytes = 0;      // the highest live_bytes seen where a thread's front was refilled or a large block taken
  int64_t cached_bytes = 0;    // large blocks kept for reuse
  int64_t system_calls = 0;    // calls to the system allocator since the start
};
AllocatorStatistics GetAllocatorStatistics();
void ResetPeakBytes();
// Gives every cached large block back to the system; the fronts of threads keep their small ones.
void TrimAllocator();
// Large blocks cached at most, in bytes (default 1 GiB); beyond, a freed block goes back to the system.
void SetAllocatorCacheLimit(int64_t bytes);
// Live bytes at most (default: no limit); beyond, allocation fails. For tests and for hosts that share memory.
void SetAllocatorLimit(int64_t bytes);

inline constexpr unsigned kMinBlockLog2 = 7;

// The smallest class that holds bytes; kNoSizeClass above 2^47.
inline constexpr unsigned kNoSizeClass = 255;
constexpr unsigned SizeClass(size_t bytes) {
  if (bytes <= 128) return 0;
  if (bytes > (size_t{1} << 47)) return kNoSizeClass;
  const size_t s = bytes - 1;
  const unsigned exponent = std::bit_width(s) - 1;
  return (exponent - kMinBlockLog2) * 4 + ((s >> (exponent - 2)) & 3) + 1;
}
constexpr size_t BlockBytes(unsigned size_class) {
  if (size_class == 0) return 128;
  const unsigned exponent = (size_class - 1) / 4 + kMinBlockLog2, quarter = (size_class - 1) % 4;
  const size_t bytes = (size_t{1} << exponent) + (size_t{quarter + 1} << (exponent - 2));
  return (bytes + 63) & ~size_t{63};
}

[[nodiscard]] void* AllocateBlockSlow(unsigned size_class);
void FreeBlockSlow(void* block, unsigned size_class);

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kBlocksAreCached = false;
#else
inline constexpr bool kBlocksAreCached = true;
#endif

[[nodiscard]] inline void* AllocateBlock(unsigned size_class) {
  if (kBlocksAreCached && size_class < kFrontClasses) [[likely]] {
    BlockFront& front = thread_state.fronts[size_class];
    if (void* block = front.head) [[likely]] {
      front.head = *static_cast<void**>(block);
      front.count.store(front.count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      return block;
    }
  }
  return AllocateBlockSlow(size_class);
}

inline void FreeBlock(void* block, unsigned size_class) {
  if (kBlocksAreCached && size_class < kFrontClasses) [[likely]] {
    BlockFront& front = thread_state.fronts[size_class];
    const int32_t count = front.count.load(std::memory_order_relaxed);
    if (count < front.capacity) [[likely]] {
      *static_cast<void**>(block) = front.head;
      front.head = block;
      front.count.store(count + 1, std::memory_order_relaxed);
      return;
    }
  }
  FreeBlockSlow(block, size_class);
}

}  // namespace tandem
TANDEM_EXPORT_END
