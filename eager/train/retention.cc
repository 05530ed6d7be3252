#include "eager/train/retention.h"

#include <chrono>
#include <filesystem>

#include "core/bundle/bundle_writer.h"
#include "core/bundle/index_writer.h"

namespace tandem::train {

std::vector<std::string> Retention::Add(const std::string& path, double now) {
  if (state_.last_preserved_timestamp <= 0) state_.last_preserved_timestamp = now;
  auto& kept = state_.checkpoints;
  std::erase_if(kept, [&](const auto& k) { return k.path == path; });
  kept.push_back({path, now});
  std::vector<std::string> old;
  while (max_to_keep_ > 0 && static_cast<int>(kept.size()) > max_to_keep_) {
    const CheckpointState::Entry entry = kept.front();
    kept.erase(kept.begin());
    // One that stays for good is not spoken of again.
    if (period_ > 0 && entry.timestamp - period_ >= state_.last_preserved_timestamp) state_.last_preserved_timestamp = entry.timestamp;
    else old.push_back(entry.path);
  }
  return old;
}

double SystemSeconds() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

void DeleteCheckpoint(const std::string& prefix) {
  std::error_code ignored;
  const std::vector<std::string> data = DataFilesOf(prefix);
  std::filesystem::remove(IndexFileName(prefix), ignored);
  for (const std::string& file : data) std::filesystem::remove(file, ignored);
}

}  // namespace tandem::train
