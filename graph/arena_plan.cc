#include "graph/arena_plan.h"

#include <algorithm>

namespace tandem {

void ArenaPlan::AddFree(int64_t offset, int64_t bytes) {
  free_[offset] = bytes;
  free_by_size_.insert({bytes, offset});
}

void ArenaPlan::RemoveFree(std::map<int64_t, int64_t>::iterator range) {
  free_by_size_.erase({range->second, range->first});
  free_.erase(range);
}

int64_t ArenaPlan::Take(int64_t bytes) {
  bytes = std::max<int64_t>((bytes + 63) & ~int64_t{63}, 64);
  int64_t offset;
  if (const auto fit = free_by_size_.lower_bound({bytes, 0}); fit != free_by_size_.end()) {
    const auto [free_bytes, free_offset] = *fit;
    offset = free_offset;
    RemoveFree(free_.find(free_offset));
    if (free_bytes > bytes) AddFree(free_offset + bytes, free_bytes - bytes);
  } else if (!free_.empty() && free_.rbegin()->first + free_.rbegin()->second == size_) {
    // The last free range reaches the end: it grows instead of leaving a hole.
    offset = free_.rbegin()->first;
    RemoveFree(std::prev(free_.end()));
    size_ = offset + bytes;
  } else {
    offset = size_;
    size_ += bytes;
  }
  taken_[offset] = bytes;
  return offset;
}

void ArenaPlan::Give(int64_t offset) {
  const auto taken = taken_.find(offset);
  int64_t bytes = taken->second;
  taken_.erase(taken);
  if (const auto next = free_.find(offset + bytes); next != free_.end()) {
    bytes += next->second;
    RemoveFree(next);
  }
  if (auto previous = free_.lower_bound(offset); previous != free_.begin()) {
    --previous;
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      bytes += previous->second;
      RemoveFree(previous);
    }
  }
  AddFree(offset, bytes);
}

}  // namespace tandem
