// Keeps the last few checkpoints of a run and deletes older ones.
//
//   train::CheckpointManager manager(checkpoint, "run", {.max_to_keep = 3, .keep_checkpoint_every_n_hours = 2});
//   manager.RestoreOrInitialize();      // goes on where the last process stopped
//   … manager.Save();                   // run/ckpt-1, run/ckpt-2, …
//
// What it keeps is in the folder's `checkpoint` file, as TensorFlow's manager writes it, and read when one is made anew. A
// checkpoint is deleted only after that file says so.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/export.h"
#include "eager/train/checkpoint.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

class Retention;

struct CheckpointManagerOptions {
  int max_to_keep = 5;                       // 0: all
  double keep_checkpoint_every_n_hours = 0;  // of those that would go, one in so many hours stays for good; 0: none
  std::string checkpoint_name = "ckpt";
  // Seconds since the epoch; the system's clock unless given.
  std::function<double()> clock;
};

class CheckpointManager {
 public:
  // Shares the checkpoint's state: the Checkpoint itself may go. DATA_LOSS when the folder's `checkpoint` file makes no
  // sense; INVALID_ARGUMENT for a negative number to keep.
  CheckpointManager(const Checkpoint& checkpoint, std::string folder, CheckpointManagerOptions options = {});

  // Saves under the next number, or the given one. Gives the path. Errors of Checkpoint::Save.
  std::string Save(int64_t number = -1);
  // Restores the latest checkpoint; "" when there is none, after `initialize`, if given, was called.
  std::string RestoreOrInitialize(const std::function<void()>& initialize = {});

  std::string latest_checkpoint() const;
  std::vector<std::string> checkpoints() const;  // those kept for now, newest last

 private:
  std::shared_ptr<ObjectState> root_;
  std::string folder_;
  CheckpointManagerOptions options_;
  std::shared_ptr<Retention> retention_;
};

}  // namespace tandem::train
TANDEM_EXPORT_END
