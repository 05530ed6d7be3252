#include "graph/export.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/attr_proto.h"
#include "google/protobuf/text_format.h"
#include "graph/function_message.h"
#include "graph/graph_message.h"
#include "graph/graph_state.h"
#include "graph/import.h"
#include "graph/node_attrs.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

namespace tandem {
namespace {

constexpr int64_t kMaxMessage = std::numeric_limits<int>::max();

absl::Status TooLarge(int64_t bytes) {
  return InvalidArgument("the graph takes ", bytes, " bytes or more; a protobuf message ends at 2 GB (", kMaxMessage,
                         " bytes): keep large values in variables and a checkpoint");
}

// Before anything is copied: constants alone may be too much.
absl::Status CheckConstants(const NodeGraph& nodes) {
  int64_t bytes = 0;
  for (const Node& node : nodes.nodes()) {
    for (const AttrValue& attr : node.attrs) {
      if (attr.kind() != AttrKind::kTensor) continue;
      const Tensor t = attr.ref().get<Tensor>();
      if (t.defined() && !t.symbolic()) bytes += t.rep()->bytes();
    }
    // Equal elements are written once, so this may say too much; then the message itself decides.
  }
  return bytes > 4 * kMaxMessage ? TooLarge(bytes) : absl::OkStatus();
}

absl::Status ExtraToProto(const Node& node, proto::NodeDef* m) {
  if (!node.extra) return absl::OkStatus();
  if (!node.extra->debug_info.empty() && !m->MergeFromString(node.extra->debug_info)) return absl::InternalError("debug information does not parse");
  for (const auto& [name, bytes] : node.extra->other_attrs)
    if (!(*m->mutable_attr())[name].ParseFromString(bytes)) return absl::InternalError(absl::StrCat("attribute ", name, " does not parse"));
  return absl::OkStatus();
}

absl::Status NodeToProto(const NodeGraph& nodes, int32_t id, proto::NodeDef* m) {
  const Node& node = nodes.node(id);
  m->set_name(std::string(node.name));
  m->set_op(node.schema().name());
  for (const TensorId& t : node.inputs) m->add_input(t.output == 0 ? std::string(nodes.node(t.node).name) : nodes.TensorName(t));
  for (int32_t c : node.controls) m->add_input(absl::StrCat("^", std::string(nodes.node(c).name)));
  m->set_device(std::string(node.device()));
  if (node.extra && node.extra->function_as_op) {
    m->set_op(FunctionsOf(node).front().name);
    return ExtraToProto(node, m);
  }
  const auto refs = node.attr_refs();
  const auto inputs = nodes.InferInputs(node);
  RETURN_IF_ERROR(AttrsToNode(node.schema(), refs, inputs, m));
  return ExtraToProto(node, m);
}

absl::StatusOr<std::string> SerializeChecked(const google::protobuf::MessageLite& message) {
  const size_t bytes = message.ByteSizeLong();
  if (bytes > static_cast<size_t>(kMaxMessage)) return TooLarge(static_cast<int64_t>(bytes));
  return Deterministic(message);
}

absl::Status MetaGraphToProto(const GraphState& state, proto::MetaGraphDef* message) {
  {
    std::shared_lock lock(state.mutex);
    if (state.meta) *message = *state.meta;
  }
  auto* info = message->mutable_meta_info_def();
  if (info->tags().empty() && info->meta_graph_version().empty()) info->set_meta_graph_version("tandem");
  return GraphToProto(state, message->mutable_graph_def());
}

absl::StatusOr<std::string> FileContent(const GraphState& state, const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".meta") {
    proto::MetaGraphDef message;
    RETURN_IF_ERROR(MetaGraphToProto(state, &message));
    return SerializeChecked(message);
  }
  if (extension != ".pbtxt" && extension != ".txt") return SerializeGraph(state);
  proto::GraphDef message;
  RETURN_IF_ERROR(GraphToProto(state, &message));
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(message, &text)) return absl::InternalError("the graph does not print");
  return text;
}

absl::Status FunctionsToProto(const GraphState& state, proto::GraphDef* message) {
  const std::set<std::string> reached = ReachableFunctions(state.nodes, *state.library);
  for (const auto& function : state.library->All()) {
    if (function->derived && !reached.contains(function->name)) continue;
    ASSIGN_OR_RETURN(*message->mutable_library()->add_function(), FunctionToProto(*function));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status NodesToProto(const NodeGraph& nodes, proto::GraphDef* message) {
  RETURN_IF_ERROR(CheckConstants(nodes));
  message->mutable_node()->Reserve(nodes.size());
  for (int32_t id = 0; id < nodes.size(); ++id)
    if (absl::Status status = NodeToProto(nodes, id, message->add_node()); !status.ok()) return WithNode(std::move(status), nodes.node(id).name);
  return absl::OkStatus();
}

absl::Status GraphToProto(const GraphState& state, proto::GraphDef* message) {
  std::shared_lock lock(state.mutex);
  if (state.header) *message = *state.header;
  RETURN_IF_ERROR(FunctionsToProto(state, message));
  if (!message->has_versions()) message->mutable_versions()->set_producer(kGraphDefVersion);
  // Readers before version 12 know no functions.
  const bool recorded_functions = message->library().function_size() > 0 && !state.header;
  if (recorded_functions) message->mutable_versions()->set_min_consumer(12);
  return NodesToProto(state.nodes, message);
}

absl::StatusOr<std::string> SerializeGraph(const GraphState& state) {
  proto::GraphDef message;
  RETURN_IF_ERROR(GraphToProto(state, &message));
  return SerializeChecked(message);
}

absl::Status WriteGraphFile(const GraphState& state, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string content, FileContent(state, path));
  // Written beside the file and renamed: who reads it sees the old file or the whole new one.
  const std::string temporary = absl::StrCat(path, ".tmp", getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    if (!out) {
      std::remove(temporary.c_str());
      return absl::NotFoundError(absl::StrCat(path, ": cannot be written"));
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (!error) return absl::OkStatus();
  std::remove(temporary.c_str());
  return absl::NotFoundError(absl::StrCat(path, ": cannot be written: ", error.message()));
}

}  // namespace tandem
