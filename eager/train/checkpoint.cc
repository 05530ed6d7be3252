#include "eager/train/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "core/bundle/bundle_writer.h"
#include "core/bundle/output_file.h"
#include "core/context.h"
#include "core/status.h"
#include "eager/train/checkpoint_state.h"
#include "eager/train/object_graph.h"
#include "eager/train/restoration.h"

namespace tandem::train {
namespace {

constexpr char kSaveCounter[] = "save_counter";

absl::Status AddValue(const SavedValue& value, BundleWriter& writer) {
  if (value.variable.defined() && value.variable.handle().symbolic())
    return absl::FailedPreconditionError(absl::StrCat("variable \"", value.full_name, "\" belongs to a graph: its value lives in a Session, which train::Saver saves"));
  Tensor tensor = value.variable.defined() ? value.variable.Read() : value.value.save();
  if (!tensor.rep()->on_host()) tensor = tensor.Cpu();
  return writer.Add(value.key, *tensor.rep());
}

// One value at a time, from where it lies.
absl::Status WriteObjects(const std::shared_ptr<ObjectState>& root, const std::string& prefix) {
  const ContextScope eager(nullptr);  // whatever records here, the values of now are saved
  const std::vector<ObjectNode> nodes = BuildObjectGraph(root);
  ASSIGN_OR_RETURN(const auto writer, BundleWriter::Create(prefix));
  for (const ObjectNode& node : nodes)
    for (const SavedValue& value : node.values) {
      try {
        RETURN_IF_ERROR(AddValue(value, *writer));
      } catch (...) {
        const absl::Status status = StatusFromException(std::current_exception());
        return absl::Status(status.code(), absl::StrCat("\"", value.key, "\": ", status.message()));
      }
    }
  RETURN_IF_ERROR(writer->Add(kObjectGraphKey, *Tensor(SerializeObjectGraph(nodes)).rep()));
  return writer->Finish();
}

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

Variable Checkpoint::save_counter() {
  if (const ObjectState::Child* child = state()->Find(kSaveCounter); child && child->variable.defined()) return child->variable;
  const ContextScope eager(nullptr);
  const Variable counter(int64_t{0}, {.name = kSaveCounter, .trainable = false});
  state()->Add(kSaveCounter, counter);
  return counter;
}

std::string Checkpoint::Write(const std::string& prefix) {
  ThrowNamed(WriteObjects(state(), prefix), "Checkpoint");
  return prefix;
}

std::string Checkpoint::Save(const std::string& prefix) {
  Variable counter = save_counter();
  const ContextScope eager(nullptr);
  const Tensor before = counter.Read();
  const std::string path = absl::StrCat(prefix, "-", counter.AssignAdd(1).item<int64_t>());
  absl::Status status = WriteObjects(state(), path);
  const std::string folder = FolderOf(prefix);
  if (status.ok()) status = WriteCheckpointState(folder, {.checkpoints = {{path, 0}}}, /*with_timestamps=*/false);
  if (!status.ok()) counter.Assign(before);
  ThrowNamed(status, "Checkpoint");
  return path;
}

RestoreStatus Checkpoint::Restore(const std::string& path) {
  save_counter();  // it is part of what is restored
  if (path.empty()) return {nullptr, state()};
  auto restoration = Restoration::Open(path);
  ThrowNamed(restoration.status(), "Restore");
  ThrowIfError((*restoration)->Run(state()));
  return {*std::move(restoration), state()};
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
