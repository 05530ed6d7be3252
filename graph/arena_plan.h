// Offsets in one block of memory for the buffers of a plan.
//
//   ArenaPlan arena;
//   int64_t x = arena.Take(bytes);    // at the step that writes it
//   arena.Give(x);                    // after the last step that reads it
//   arena.size();                     // what the block must hold
//
// Best fit over free ranges, neighbours joined: O(log n) a call, so a plan of a million steps is linear enough.
#pragma once
#include <cstdint>
#include <map>
#include <set>

namespace tandem {

class ArenaPlan {
 public:
  // A 64-byte aligned range that overlaps none that is taken.
  int64_t Take(int64_t bytes);
  void Give(int64_t offset);
  int64_t size() const { return size_; }

 private:
  void AddFree(int64_t offset, int64_t bytes);
  void RemoveFree(std::map<int64_t, int64_t>::iterator range);

  std::map<int64_t, int64_t> taken_, free_;               // offset -> bytes
  std::set<std::pair<int64_t, int64_t>> free_by_size_;    // (bytes, offset)
  int64_t size_ = 0;
};

}  // namespace tandem
