// Which checkpoints of a folder stay: the last few, and of the others one in so many hours.
#pragma once
#include <string>
#include <vector>

#include "eager/train/checkpoint_state.h"

namespace tandem::train {

class Retention {
 public:
  Retention(int max_to_keep, double keep_every_n_hours, CheckpointState state)
      : max_to_keep_(max_to_keep), period_(keep_every_n_hours * 3600), state_(std::move(state)) {}

  const CheckpointState& state() const { return state_; }
  // The newest; what has become too old is no longer in the state and has to be deleted once the state is on the disk.
  [[nodiscard]] std::vector<std::string> Add(const std::string& path, double now);

 private:
  int max_to_keep_;  // 0: all
  double period_;    // 0: none stays for good
  CheckpointState state_;
};

// Seconds since the epoch.
double SystemSeconds();
// Deletes a checkpoint's files; the index goes first, for without it there is no checkpoint.
void DeleteCheckpoint(const std::string& prefix);

}  // namespace tandem::train
