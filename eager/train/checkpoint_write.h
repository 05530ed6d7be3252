// What Checkpoint and CheckpointManager do with a root's state.
#pragma once
#include <memory>
#include <string>

#include "eager/train/restoration.h"

namespace tandem::train {

// The root's save_counter, made if there is none.
Variable SaveCounterOf(const std::shared_ptr<ObjectState>& root);

// Writes the objects below root. Errors of BundleWriter, with the value's key.
absl::Status WriteObjects(const std::shared_ptr<ObjectState>& root, const std::string& prefix);

// Counts the save and writes PREFIX-N, N the counter's new value unless number is given (0 or more). Throws; the counter is
// then as before.
std::string SaveNumbered(const std::shared_ptr<ObjectState>& root, const std::string& prefix, int64_t number = -1);

// Restores the checkpoint into the root. Throws.
std::shared_ptr<Restoration> RestoreInto(const std::shared_ptr<ObjectState>& root, const std::string& path);

}  // namespace tandem::train
