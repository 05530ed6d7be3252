#include "eager/train/checkpoint_state.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "core/bundle/output_file.h"
#include "proto/tensor_bundle.pb.h"

namespace tandem::train {
namespace {

std::string StateFile(const std::string& folder) { return folder + "/checkpoint"; }

// Keeps the first error that protobuf would print.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  std::string text;
};

std::string Absolute(const std::string& folder, const std::string& path) {
  return path.starts_with('/') ? path : folder + "/" + path;
}
std::string Relative(const std::string& folder, const std::string& path) {
  return path.starts_with(folder + "/") ? path.substr(folder.size() + 1) : path;
}

}  // namespace

absl::StatusOr<CheckpointState> ReadCheckpointState(const std::string& folder) {
  const std::string path = StateFile(folder);
  auto text = ReadWholeFile(path);
  if (absl::IsNotFound(text.status())) return CheckpointState();
  RETURN_IF_ERROR(text.status());
  proto::CheckpointState message;
  google::protobuf::TextFormat::Parser parser;
  FirstError error;
  parser.AllowUnknownField(true);
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(*text, &message)) return absl::DataLossError(absl::StrCat(path, ": ", error.text));
  CheckpointState state;
  state.last_preserved_timestamp = message.last_preserved_timestamp();
  for (int i = 0; i < message.all_model_checkpoint_paths_size(); ++i)
    state.checkpoints.push_back({Absolute(folder, message.all_model_checkpoint_paths(i)),
                                 i < message.all_model_checkpoint_timestamps_size() ? message.all_model_checkpoint_timestamps(i) : 0});
  // The newest is named on its own; it counts where the two differ.
  const std::string newest = message.model_checkpoint_path().empty() ? "" : Absolute(folder, message.model_checkpoint_path());
  if (!newest.empty() && (state.checkpoints.empty() || state.checkpoints.back().path != newest)) {
    std::erase_if(state.checkpoints, [&](const auto& c) { return c.path == newest; });
    state.checkpoints.push_back({newest, 0});
  }
  return state;
}

absl::Status WriteCheckpointState(const std::string& folder, const CheckpointState& state, bool with_timestamps) {
  proto::CheckpointState message;
  for (const CheckpointState::Entry& c : state.checkpoints) {
    message.add_all_model_checkpoint_paths(Relative(folder, c.path));
    if (with_timestamps) message.add_all_model_checkpoint_timestamps(c.timestamp);
  }
  if (!state.checkpoints.empty()) message.set_model_checkpoint_path(Relative(folder, state.checkpoints.back().path));
  if (with_timestamps) message.set_last_preserved_timestamp(state.last_preserved_timestamp);
  google::protobuf::TextFormat::Printer printer;
  std::string text;
  if (!printer.PrintToString(message, &text)) return absl::InternalError("the checkpoint state cannot be printed");
  return WriteFileAtomically(StateFile(folder), text);
}

}  // namespace tandem::train
