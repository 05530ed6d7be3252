#include "eager/train/checkpoint_write.h"

#include "core/bundle/bundle_writer.h"
#include "core/context.h"
#include "eager/train/object_graph.h"

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

}  // namespace

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

Variable SaveCounterOf(const std::shared_ptr<ObjectState>& root) {
  if (const ObjectState::Child* child = root->Find(kSaveCounter); child && child->variable.defined()) return child->variable;
  const ContextScope eager(nullptr);
  const Variable counter(int64_t{0}, {.name = kSaveCounter, .trainable = false});
  root->Add(kSaveCounter, counter);
  return counter;
}

std::string SaveNumbered(const std::shared_ptr<ObjectState>& root, const std::string& prefix, int64_t number) {
  Variable counter = SaveCounterOf(root);
  const ContextScope eager(nullptr);
  const Tensor before = counter.Read();
  const Tensor count = counter.AssignAdd(1);
  const std::string path = absl::StrCat(prefix, "-", number >= 0 ? number : count.item<int64_t>());
  const absl::Status status = WriteObjects(root, path);
  if (status.ok()) return path;
  counter.Assign(before);
  ThrowError(absl::Status(status.code(), absl::StrCat("Checkpoint: ", status.message())));
}

std::shared_ptr<Restoration> RestoreInto(const std::shared_ptr<ObjectState>& root, const std::string& path) {
  auto restoration = Restoration::Open(path);
  if (!restoration.ok()) ThrowError(absl::Status(restoration.status().code(), absl::StrCat("Restore: ", restoration.status().message())));
  ThrowIfError((*restoration)->Run(root));
  return *std::move(restoration);
}

}  // namespace tandem::train
