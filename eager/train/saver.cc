#include "eager/train/saver.h"

#include <set>

#include "core/bundle/bundle_reader.h"
#include "core/bundle/bundle_writer.h"
#include "core/bundle/output_file.h"
#include "core/context.h"
#include "core/ops/checkpoint.h"
#include "core/ops/plumbing.h"
#include "core/scopes.h"
#include "eager/train/retention.h"

namespace tandem::train {
namespace {

Saver::NamedVariables ByName(const std::vector<Variable>& variables) {
  Saver::NamedVariables named;
  for (const Variable& v : variables) named.emplace_back(v.name(), v);
  return named;
}

[[noreturn]] void ThrowNamed(const absl::Status& status) {
  ThrowError(absl::Status(status.code(), absl::StrCat("Saver: ", status.message())));
}

absl::Status WriteVariables(const Saver::NamedVariables& variables, const std::string& path) {
  ASSIGN_OR_RETURN(const auto writer, BundleWriter::Create(path));
  for (const auto& [name, variable] : variables) {
    Tensor value = variable.Read();
    if (!value.rep()->on_host()) value = value.Cpu();
    RETURN_IF_ERROR(writer->Add(name, *value.rep()));
  }
  return writer->Finish();
}

absl::StatusOr<Tensors> ReadVariables(const Saver::NamedVariables& variables, const std::string& path) {
  ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(path));
  Tensors values;
  for (const auto& [name, variable] : variables) {
    ASSIGN_OR_RETURN(const Tensor value, reader->Read(name));
    if (value.dtype() != variable.dtype() || !value.shape().CompatibleWith(variable.shape()))
      return InvalidArgument(path, ": \"", name, "\" is ", std::string(DTypeName(value.dtype())), value.shape().ToString(), ", the variable is ",
                             std::string(DTypeName(variable.dtype())), variable.shape().ToString());
    values.push_back(value);
  }
  return values;
}

std::string NodeOf(const Tensor& tensor) { return tensor.name().substr(0, tensor.name().rfind(':')); }

}  // namespace

Saver::Saver(const std::vector<Variable>& variables, SaverOptions options) : Saver(ByName(variables), options) {}

Saver::Saver(NamedVariables variables, SaverOptions options)
    : variables_(std::move(variables)),
      options_(options),
      retention_(std::make_shared<Retention>(options.max_to_keep, options.keep_checkpoint_every_n_hours, CheckpointState())) {
  if (variables_.empty()) ThrowNamed(InvalidArgument("there is no variable to save"));
  if (options.max_to_keep < 0) ThrowNamed(InvalidArgument("max_to_keep is ", options.max_to_keep, ", must be at least 0"));
  std::set<std::string> names;
  for (const auto& [name, variable] : variables_) {
    if (name.empty() || !variable.defined()) ThrowNamed(InvalidArgument("\"", name, "\" is no name, or its variable is undefined"));
    if (!names.insert(name).second) ThrowNamed(InvalidArgument("two variables are called \"", name, "\""));
  }
  if (!ExecutingEagerly()) AddOps();
}

// The nodes of a Saver lie in a scope that its first node's name makes its own: save/Const, save/Const_1, ….
void Saver::AddOps() {
  const NameScope save("save");
  const Tensor prefix = PlaceholderWithDefault(Constant("model", "filename"), Shape(), "Const");
  filename_ = prefix.name();
  const std::string node = NodeOf(prefix);
  const NameScope own(node.substr(node.rfind('/') + 1) + "_nodes");
  std::vector<std::string> names;
  std::vector<DType> dtypes;
  Tensors values, restored;
  for (const auto& [name, variable] : variables_) {
    names.push_back(name);
    dtypes.push_back(variable.dtype());
    values.push_back(variable.Read());
  }
  SaveV2(prefix, names, {}, values);
  {
    const ControlDependencies after({node + "_nodes/SaveV2"});
    save_tensor_ = Identity(prefix, "control_dependency").name();
  }
  const Tensors read = RestoreV2(prefix, names, {}, dtypes);
  for (size_t i = 0; i < read.size(); ++i) restored.push_back(Variable(variables_[i].second).Assign(read[i]));
  {
    const ControlDependencies after(restored);
    restore_op_ = NodeOf(Identity(prefix, "restore_all"));
  }
}

std::string Saver::Save(const std::string& prefix, int64_t global_step) {
  if (!filename_.empty()) ThrowNamed(absl::FailedPreconditionError("it is a graph's: a Session that fetches save_tensor() saves"));
  const ContextScope eager(nullptr);
  const std::string path = global_step < 0 ? prefix : absl::StrCat(prefix, "-", global_step);
  if (const absl::Status status = WriteVariables(variables_, path); !status.ok()) ThrowNamed(status);
  const std::vector<std::string> old = retention_->Add(path, SystemSeconds());
  if (const absl::Status status = WriteCheckpointState(FolderOf(path), retention_->state(), /*with_timestamps=*/false); !status.ok()) ThrowNamed(status);
  for (const std::string& gone : old) DeleteCheckpoint(gone);
  return path;
}

void Saver::Restore(const std::string& path) {
  if (!filename_.empty()) ThrowNamed(absl::FailedPreconditionError("it is a graph's: a Session that runs restore_op() restores"));
  const ContextScope eager(nullptr);
  const auto values = ReadVariables(variables_, path);
  if (!values.ok()) ThrowNamed(values.status());
  for (size_t i = 0; i < values->size(); ++i) variables_[i].second.Assign((*values)[i]);
}

}  // namespace tandem::train
