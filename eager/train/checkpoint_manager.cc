#include "eager/train/checkpoint_manager.h"

#include <filesystem>

#include "core/bundle/bundle_writer.h"
#include "core/status.h"
#include "eager/train/checkpoint_write.h"
#include "eager/train/retention.h"

namespace tandem::train {

CheckpointManager::CheckpointManager(const Checkpoint& checkpoint, std::string folder, CheckpointManagerOptions options)
    : root_(checkpoint.state()), folder_(std::move(folder)), options_(std::move(options)) {
  if (options_.max_to_keep < 0) ThrowError(InvalidArgument("CheckpointManager: max_to_keep is ", options_.max_to_keep, ", must be at least 0"));
  if (!options_.clock) options_.clock = SystemSeconds;
  CheckpointState state = ValueOrThrow(ReadCheckpointState(folder_));
  std::error_code ignored;
  std::erase_if(state.checkpoints, [&](const auto& c) { return !std::filesystem::exists(IndexFileName(c.path), ignored); });
  if (state.last_preserved_timestamp <= 0) state.last_preserved_timestamp = options_.clock();
  retention_ = std::make_shared<Retention>(options_.max_to_keep, options_.keep_checkpoint_every_n_hours, std::move(state));
}

std::string CheckpointManager::latest_checkpoint() const {
  const auto& kept = retention_->state().checkpoints;
  return kept.empty() ? "" : kept.back().path;
}

std::vector<std::string> CheckpointManager::checkpoints() const {
  std::vector<std::string> paths;
  for (const auto& kept : retention_->state().checkpoints) paths.push_back(kept.path);
  return paths;
}

std::string CheckpointManager::Save(int64_t number) {
  const std::string path = SaveNumbered(root_, folder_ + "/" + options_.checkpoint_name, number);
  const std::vector<std::string> old = retention_->Add(path, options_.clock());
  ThrowIfError(WriteCheckpointState(folder_, retention_->state(), /*with_timestamps=*/true));
  for (const std::string& prefix : old) DeleteCheckpoint(prefix);
  return path;
}

std::string CheckpointManager::RestoreOrInitialize(const std::function<void()>& initialize) {
  const std::string latest = latest_checkpoint();
  SaveCounterOf(root_);  // it is part of what is restored
  if (!latest.empty()) RestoreInto(root_, latest);
  else if (initialize) initialize();
  return latest;
}

}  // namespace tandem::train
