// Saving the state of objects, and restoring it: TensorFlow's object-based checkpoints, which TensorFlow reads and writes.
//
//   train::Checkpoint checkpoint({{"optimizer", optimizer}, {"model", model}, {"step", step}});
//   std::string path = checkpoint.Save("run/ckpt");                    // run/ckpt-1.index, run/ckpt-1.data-00000-of-00001
//   checkpoint.Restore(train::LatestCheckpoint("run")).AssertConsumed();
//
// Objects are saved with what they hold, shared ones once, and optimizers with their slots. A value is known by the way
// through the names that lead to it. Restoring gives values to what is there, and later to variables as they are made.
// Objects given to a Checkpoint are kept alive by it. Values of variables in a Session are Saver's (eager/train/saver.h).
//
// Files appear whole or not at all: a process may die at any moment of a Save and the last checkpoint is still the last.
// Memory: a Save streams values from where they lie; a Restore holds the values it reads until all of them have proved
// right. One thread at a time uses a Checkpoint; several processes may save in one folder.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "eager/train/checkpoint_item.h"
#include "eager/trackable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

class Restoration;

// What became of a Restore. Each check throws FAILED_PRECONDITION, naming what is missing or was not used, and gives the
// status itself, so that checks chain.
class RestoreStatus {
 public:
  // Every value of the checkpoint went to an object, and every variable below the root got one.
  const RestoreStatus& AssertConsumed() const;
  // Every variable that is there now got a value; the checkpoint may hold more.
  const RestoreStatus& AssertExistingObjectsMatched() const;
  // At least one value matched.
  const RestoreStatus& AssertNontrivialMatch() const;
  // Says that what did not match is meant not to.
  const RestoreStatus& ExpectPartial() const { return *this; }

  std::vector<std::string> unused() const;   // keys of the checkpoint's values that no object has taken so far
  std::vector<std::string> missing() const;  // paths of variables below the root that got nothing

 private:
  friend class Checkpoint;
  RestoreStatus(std::shared_ptr<Restoration> restoration, std::shared_ptr<ObjectState> root)
      : restoration_(std::move(restoration)), root_(std::move(root)) {}
  std::shared_ptr<Restoration> restoration_;  // null: there was no checkpoint
  std::shared_ptr<ObjectState> root_;
};

class Checkpoint : public Trackable {
 public:
  // INVALID_ARGUMENT: a name that is empty or there twice, an undefined variable.
  explicit Checkpoint(std::initializer_list<CheckpointItem> items) : Checkpoint(std::vector<CheckpointItem>(items)) {}
  explicit Checkpoint(std::vector<CheckpointItem> items);

  // Counts the saves in save_counter, writes PREFIX-N and notes it in the folder's `checkpoint` file, which LatestCheckpoint
  // reads. Gives PREFIX-N. The folder is made if need be. Errors name file and entry: RESOURCE_EXHAUSTED on a full disk,
  // PERMISSION_DENIED, FAILED_PRECONDITION for a variable without a value; save_counter is then as before.
  std::string Save(const std::string& prefix);
  // Writes under the prefix itself, and nothing else; Read takes it. Gives the prefix.
  std::string Write(const std::string& prefix);

  // path: as Save gave it. "", LatestCheckpoint's word for none, restores nothing: all but ExpectPartial then fail. A
  // checkpoint without an object graph (train::Saver's) is matched by variables' names. Nothing has changed when it throws:
  // NOT_FOUND, DATA_LOSS, OUT_OF_RANGE (naming file, entry and offset), INVALID_ARGUMENT for another dtype or shape.
  RestoreStatus Restore(const std::string& path);
  // The same for what Write wrote, which need not count saves: save_counter is not made to be restored.
  RestoreStatus Read(const std::string& path);

  // How often Save was called, restored checkpoints included: an int64 scalar.
  Variable save_counter();
};

// The newest checkpoint that the folder's `checkpoint` file names; "" when there is none, or its files are gone.
// DATA_LOSS when the file makes no sense.
std::string LatestCheckpoint(const std::string& folder);

}  // namespace tandem::train
TANDEM_EXPORT_END
