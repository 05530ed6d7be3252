#include "core/allocator.h"

#include <catch2/catch.hpp>
#include <algorithm>
#include <thread>
#include <vector>

namespace tandem {

TEST_CASE("a size class holds its bytes and wastes at most a quarter beyond the smallest") {
  for (size_t bytes = 1; bytes < (size_t{1} << 40); bytes += bytes / 3 + 1) {
    const unsigned c = SizeClass(bytes);
    CHECK(BlockBytes(c) >= bytes);
    if (bytes > 256) CHECK(BlockBytes(c) <= bytes + bytes / 4 + 64);
    if (c > 0) CHECK(BlockBytes(c) >= BlockBytes(c - 1));
  }
  CHECK(SizeClass(size_t{1} << 60) == kNoSizeClass);
}

TEST_CASE("blocks are aligned, distinct and come back") {
  const auto before = GetAllocatorStatistics();
  for (const size_t bytes : {1, 128, 129, 4096, 40000, 1 << 20}) {
    const unsigned c = SizeClass(bytes);
    std::vector<void*> blocks;
    for (int i = 0; i < 300; ++i) {
      void* block = AllocateBlock(c);
      REQUIRE(block != nullptr);
      CHECK(reinterpret_cast<uintptr_t>(block) % 64 == 0);
      static_cast<char*>(block)[0] = static_cast<char*>(block)[bytes - 1] = 1;
      blocks.push_back(block);
    }
    std::sort(blocks.begin(), blocks.end());
    CHECK(std::adjacent_find(blocks.begin(), blocks.end()) == blocks.end());
    for (void* block : blocks) FreeBlock(block, c);
  }
  const auto after = GetAllocatorStatistics();
  CHECK(after.live_bytes == before.live_bytes);
  CHECK(after.live_blocks == before.live_blocks);
}

TEST_CASE("what one thread allocates another may free") {
  const auto before = GetAllocatorStatistics();
  const unsigned c = SizeClass(100);
  std::vector<void*> blocks(5000);
  std::thread maker([&] {
    for (void*& block : blocks) block = AllocateBlock(c);
  });
  maker.join();
  std::thread taker([&] {
    for (void* block : blocks) FreeBlock(block, c);
  });
  taker.join();
  CHECK(GetAllocatorStatistics().live_blocks == before.live_blocks);
}

TEST_CASE("beyond the limit allocation fails and nothing is lost") {
  const unsigned c = SizeClass(1 << 20);
  SetAllocatorLimit(GetAllocatorStatistics().live_bytes + (4 << 20));
  std::vector<void*> blocks;
  while (void* block = AllocateBlock(c)) blocks.push_back(block);
  CHECK(!blocks.empty());
  CHECK(blocks.size() <= 4);
  SetAllocatorLimit(INT64_MAX);
  for (void* block : blocks) FreeBlock(block, c);
  TrimAllocator();
  CHECK(GetAllocatorStatistics().cached_bytes == 0);
}

}  // namespace tandem
