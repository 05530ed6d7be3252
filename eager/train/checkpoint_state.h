// The `checkpoint` file of a folder: which checkpoints it holds, newest last (a CheckpointState in text form).
#pragma once
#include <string>
#include <vector>

#include "core/status.h"

namespace tandem::train {

struct CheckpointState {
  struct Entry {
    std::string path;       // with the folder in front
    double timestamp = 0;   // seconds since the epoch
  };
  std::vector<Entry> checkpoints;      // newest last
  double last_preserved_timestamp = 0;  // of a checkpoint that is kept for good
};

// No checkpoints when there is no such file. DATA_LOSS when it makes no sense.
absl::StatusOr<CheckpointState> ReadCheckpointState(const std::string& folder);
// Replaces it in one step; paths are written relative to the folder. with_timestamps: as CheckpointManager writes it.
absl::Status WriteCheckpointState(const std::string& folder, const CheckpointState& state, bool with_timestamps);

}  // namespace tandem::train
