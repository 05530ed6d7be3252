#include "eager/train/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "core/bundle/bundle_writer.h"
#include "core/bundle/output_file.h"
#include "core/status.h"
#include "eager/train/checkpoint_state.h"
#include "eager/train/checkpoint_write.h"
#include "eager/train/object_graph.h"
#include "eager/train/restoration.h"

namespace tandem::train {
namespace {

void ThrowNamed(const absl::Status& status, std::string_view what) {
  if (!status.ok()) ThrowError(absl::Status(status.code(), absl::StrCat(Absl(what), ": ", status.message())));
}

// "a, b, c and 7 more".
std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) absl::StrAppend(&text, i ? ", " : "", names[i]);
  if (names.size() > kShown) absl::StrAppend(&text, " and ", names.size() - kShown, " more");
  return text;
}

std::string Problem(std::string_view what, const std::vector<std::string>& names) {
  return names.empty() ? "" : absl::StrCat("; ", Absl(what), ": ", Listed(names));
}

void Check(const std::string& path, const std::string& problems) {
  if (!problems.empty()) ThrowError(absl::FailedPreconditionError(absl::StrCat("Restore: ", path, problems)));
}

}  // namespace

std::vector<std::string> RestoreStatus::unused() const { return restoration_ ? restoration_->Unused() : std::vector<std::string>(); }

std::vector<std::string> RestoreStatus::missing() const {
  if (restoration_) return restoration_->Missing(root_);
  std::vector<std::string> all;
  for (const ObjectNode& node : BuildObjectGraph(root_))
    for (const SavedValue& value : node.values) all.push_back(value.key);
  return all;
}

const RestoreStatus& RestoreStatus::AssertConsumed() const {
  if (!restoration_) Check("there was no checkpoint to restore", Problem("without a value", missing()) + " ");
  Check(restoration_->prefix(), Problem("no object takes", unused()) + Problem("not in the checkpoint", missing()));
  return *this;
}

const RestoreStatus& RestoreStatus::AssertExistingObjectsMatched() const {
  if (!restoration_) Check("there was no checkpoint to restore", Problem("without a value", missing()) + " ");
  Check(restoration_->prefix(), Problem("not in the checkpoint", missing()));
  return *this;
}

const RestoreStatus& RestoreStatus::AssertNontrivialMatch() const {
  if (!restoration_) Check("there was no checkpoint to restore", " ");
  if (!restoration_->restored_anything()) Check(restoration_->prefix(), Problem("nothing matches; the checkpoint has", unused()) + " ");
  return *this;
}

Checkpoint::Checkpoint(std::vector<CheckpointItem> items) {
  std::ranges::stable_sort(items, {}, &CheckpointItem::name);  // as TensorFlow numbers its keyword arguments
  for (size_t i = 0; i < items.size(); ++i) {
    if (i && items[i].name() == items[i - 1].name()) ThrowError(InvalidArgument("Checkpoint: there are two \"", items[i].name(), "\""));
    items[i].AddTo(*state());
  }
}

Variable Checkpoint::save_counter() { return SaveCounterOf(state()); }

std::string Checkpoint::Write(const std::string& prefix) {
  ThrowNamed(WriteObjects(state(), prefix), "Checkpoint");
  return prefix;
}

std::string Checkpoint::Save(const std::string& prefix) {
  const std::string path = SaveNumbered(state(), prefix);
  ThrowNamed(WriteCheckpointState(FolderOf(prefix), {.checkpoints = {{path, 0}}}, /*with_timestamps=*/false), "Checkpoint");
  return path;
}

RestoreStatus Checkpoint::Restore(const std::string& path) {
  save_counter();  // it is part of what is restored
  return Read(path);
}

RestoreStatus Checkpoint::Read(const std::string& path) {
  if (path.empty()) return {nullptr, state()};
  return {RestoreInto(state(), path), state()};
}

std::string LatestCheckpoint(const std::string& folder) {
  const auto found = ReadCheckpointState(folder);
  ThrowNamed(found.status(), "LatestCheckpoint");
  if (found->checkpoints.empty()) return "";
  std::error_code ignored;
  const std::string& path = found->checkpoints.back().path;
  return std::filesystem::exists(IndexFileName(path), ignored) ? path : "";
}

}  // namespace tandem::train
