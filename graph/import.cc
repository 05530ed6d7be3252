#include "graph/import.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/attr_proto.h"
#include "core/scopes.h"
#include "graph/function_message.h"
#include "graph/graph_message.h"
#include "graph/graph_state.h"
#include "graph/node_attrs.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

namespace tandem {
namespace {

absl::Status CheckVersions(const proto::VersionDef& versions) {
  if (versions.min_consumer() > kGraphDefVersion)
    return InvalidArgument("the graph needs a reader of version ", versions.min_consumer(), " or newer, this is ", kGraphDefVersion);
  for (int bad : versions.bad_consumers())
    if (bad == kGraphDefVersion) return InvalidArgument("the graph refuses readers of version ", kGraphDefVersion, ", which this is");
  return absl::OkStatus();
}

// Builds the nodes of one message as a graph of its own.
class Importer {
 public:
  Importer(const proto::GraphDef& message, std::string prefix, const FunctionLibrary* library, bool is_body)
      : message_(message), prefix_(std::move(prefix)), device_(ScopeChain::Device()), library_(library), is_body_(is_body) {
    graph_.set_library(library);
  }

  absl::Status Build() {
    RETURN_IF_ERROR(AddNodes());
    for (int32_t id = 0; id < graph_.size(); ++id) RETURN_IF_ERROR(ReadNode(id));
    ASSIGN_OR_RETURN(const std::vector<int32_t> order, graph_.TopologicalOrder());
    for (int32_t id : order) RETURN_IF_ERROR(Infer(id));
    return absl::OkStatus();
  }
  NodeGraph& graph() { return graph_; }

 private:
  absl::Status AddNodes();
  absl::Status ReadNode(int32_t id);
  absl::Status ReadInputs(int32_t id);
  absl::Status ReadExtra(int32_t id);
  absl::Status CheckClass(const proto::NodeDef& def, const proto::AttrValue& value) const;
  std::string PrefixedClass(const proto::AttrValue& value) const;
  absl::Status Infer(int32_t id);
  absl::Status AddCall(int32_t id, const GraphFunction& function, OpId* op);
  const proto::NodeDef& def(int32_t id) const {
    if (calls_.empty()) return message_.node(id);
    const auto it = calls_.find(id);
    return it == calls_.end() ? message_.node(id) : it->second;
  }

  const proto::GraphDef& message_;
  const std::string prefix_;
  const std::string_view device_;
  const FunctionLibrary* library_;
  const bool is_body_;
  absl::flat_hash_map<int32_t, proto::NodeDef> calls_;  // nodes whose op is a function, as the calls that they are
  absl::flat_hash_map<std::string_view, int32_t> ids_;
  std::vector<int32_t> last_reader_;  // by node: the last one with a control edge from it
  NodeGraph graph_;
};

absl::Status Importer::AddNodes() {
  graph_.Reserve(message_.node_size());
  ids_.reserve(message_.node_size());
  last_reader_.assign(message_.node_size(), -1);
  std::string_view last_op;  // files have runs of one op
  OpId last_id = OpId::kInvalid;
  for (int32_t id = 0; id < message_.node_size(); ++id) {
    const proto::NodeDef& node = def(id);
    if (!IsNodeName(node.name())) return InvalidArgument("node ", id, " is named \"", Printable(node.name()), "\", which is no name for a node");
    if (!ids_.emplace(node.name(), id).second) return WithNode(InvalidArgument("two nodes have the name \"", node.name(), "\""), node.name());
    if (node.op() != last_op || last_op.empty()) {
      last_op = node.op();
      last_id = FindOp(last_op);
    }
    OpId op = last_id;
    if (op == OpId::kInvalid) {
      if (const auto function = library_ ? library_->Find(node.op()) : nullptr) RETURN_IF_ERROR(AddCall(id, *function, &op));
    }
    if (op == OpId::kInvalid) {
      if (node.op().empty()) return WithNode(InvalidArgument("the node has no op"), node.name());
      return WithNode(absl::NotFoundError(absl::StrCat("there is no op \"", Printable(node.op()), "\"")), node.name());
    }
    graph_.Add(op, prefix_.empty() ? std::string_view(node.name()) : std::string_view(prefix_ + "/" + node.name()));
  }
  return absl::OkStatus();
}

absl::Status Importer::AddCall(int32_t id, const GraphFunction& function, OpId* op) {
  if (!function.problem.ok()) return WithNode(function.problem, message_.node(id).name());
  *op = function.stateful ? Op<"StatefulPartitionedCall">() : Op<"PartitionedCall">();
  proto::NodeDef& call = calls_[id] = message_.node(id);
  call.set_op(GetOp(*op).name());
  auto& attrs = *call.mutable_attr();
  attrs["f"].mutable_func()->set_name(function.name);
  auto *in = attrs["Tin"].mutable_list(), *out = attrs["Tout"].mutable_list();
  for (DType d : function.arg_types) in->add_type(static_cast<proto::DataType>(d));
  for (DType d : function.result_types) out->add_type(static_cast<proto::DataType>(d));
  return absl::OkStatus();
}

absl::Status Importer::ReadNode(int32_t id) {
  Node& node = graph_.node(id);
  auto attrs = AttrsFromNode(node.schema(), def(id));
  if (!attrs.ok()) return WithNode(attrs.status(), node.name);
  node.attrs = *std::move(attrs);
  if (absl::Status status = ReadInputs(id); !status.ok()) return WithNode(std::move(status), node.name);
  if (absl::Status status = ReadExtra(id); !status.ok()) return WithNode(std::move(status), node.name);
  return absl::OkStatus();
}

absl::Status Importer::ReadInputs(int32_t id) {
  Node& node = graph_.node(id);
  const std::string& op = def(id).op();
  for (const std::string& text : def(id).input()) {
    std::string_view name = text;
    const bool control = name.starts_with('^');
    if (control) name.remove_prefix(1);
    int32_t output = 0;
    if (const size_t colon = name.find(':'); !control && colon != name.npos) {
      const std::string_view digits = name.substr(colon + 1);
      if (digits.empty() || digits.size() > 9 || !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return InvalidArgument(op, ": input \"", Printable(text), "\" has no output number after the colon");
      for (char c : digits) output = output * 10 + (c - '0');
      name = name.substr(0, colon);
    }
    const auto from = ids_.find(name);
    if (from == ids_.end()) return InvalidArgument(op, ": input \"", Printable(text), "\" is of a node that is not there");
    if (control) {
      if (std::exchange(last_reader_[from->second], id) != id) node.controls.push_back(from->second);  // once each
    } else {
      if (!node.controls.empty()) return InvalidArgument(op, ": input \"", Printable(text), "\" stands after a control input");
      node.inputs.push_back({from->second, output});
    }
  }
  return absl::OkStatus();
}

absl::Status Importer::CheckClass(const proto::NodeDef& node, const proto::AttrValue& value) const {
  for (const std::string& text : value.list().s()) {
    if (!text.starts_with("loc:@")) continue;
    if (!ids_.contains(std::string_view(text).substr(5)))
      return InvalidArgument(node.op(), ": attribute _class places it with \"", Printable(text.substr(5)), "\", which is not there");
  }
  return absl::OkStatus();
}

std::string Importer::PrefixedClass(const proto::AttrValue& value) const {
  proto::AttrValue prefixed = value;
  for (std::string& text : *prefixed.mutable_list()->mutable_s())
    if (text.starts_with("loc:@")) text.insert(5, prefix_ + "/");
  return prefixed.SerializeAsString();
}

absl::Status Importer::ReadExtra(int32_t id) {
  const proto::NodeDef& node = def(id);
  Node& built = graph_.node(id);
  if (!IsDeviceName(node.device())) return InvalidArgument(node.op(), ": \"", Printable(node.device()), "\" names no device; \"/cpu:0\" does");
  std::shared_ptr<NodeExtra> extra;
  const auto mutable_extra = [&]() -> NodeExtra& {
    if (!extra) extra = std::make_shared<NodeExtra>();
    return *extra;
  };
  if (calls_.contains(id)) mutable_extra().function_as_op = true;
  if (!node.device().empty()) mutable_extra().device = node.device();
  else if (!device_.empty()) mutable_extra().device = device_;
  // Each attribute that the schema does not count is one more than it has.
  size_t known = 0;
  for (const OpAttr& attr : built.schema().attrs()) known += node.attr().contains(attr.name);
  if (known != node.attr().size()) {
    for (const auto& [name, value] : node.attr()) {
      if (built.schema().FindAttr(std::string_view(name)) >= 0) continue;
      if (name == "_class" && !is_body_) RETURN_IF_ERROR(CheckClass(node, value));
      mutable_extra().other_attrs.emplace_back(name, name == "_class" && !prefix_.empty() ? PrefixedClass(value) : Deterministic(value));
    }
    std::sort(extra->other_attrs.begin(), extra->other_attrs.end());
  }
  if (node.has_experimental_debug_info() || node.has_experimental_type()) {
    proto::NodeDef rest;
    if (node.has_experimental_debug_info()) *rest.mutable_experimental_debug_info() = node.experimental_debug_info();
    if (node.has_experimental_type()) *rest.mutable_experimental_type() = node.experimental_type();
    mutable_extra().debug_info = Deterministic(rest);
  }
  built.extra = std::move(extra);
  return absl::OkStatus();
}

absl::Status Importer::Infer(int32_t id) {
  Node& node = graph_.node(id);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId t = node.inputs[i];
    const Node& from = graph_.node(t.node);
    if (t.output >= static_cast<int32_t>(from.outputs.size()))
      return WithNode(InvalidArgument(node.schema().name(), ": input \"", graph_.TensorName(t), "\": node \"", Absl(from.name), "\" (", from.schema().name(),
                                      ") has ", from.outputs.size(), from.outputs.size() == 1 ? " output" : " outputs"), node.name);
  }
  const auto inputs = graph_.InferInputs(node);
  const auto attrs = node.attr_refs();
  InferContext infer(node.schema(), inputs, attrs);
  absl::Status status = infer.Resolve();
  if (status.ok()) status = CheckImpliedAttrs(infer, def(id));
  if (status.ok()) status = node.schema().infer()(infer);
  if (status.ok()) status = InferCall(library_, infer);
  if (!status.ok()) {
    // Which edge is wrong, the op's own message cannot say.
    if (!node.inputs.empty()) {
      std::string edges;
      for (size_t i = 0; i < std::min<size_t>(node.inputs.size(), 8); ++i) absl::StrAppend(&edges, i ? ", " : "; inputs ", "\"", graph_.TensorName(node.inputs[i]), "\"");
      status = absl::Status(status.code(), absl::StrCat(status.message(), edges, node.inputs.size() > 8 ? ", …" : ""));
    }
    return WithNode(std::move(status), node.name);
  }
  graph_.StoreOutputs(infer, node);
  return absl::OkStatus();
}

// What an imported message has beside nodes and functions joins what the graph has.
void MergeHeader(const proto::GraphDef& message, const GraphState& state, proto::GraphDef* merged) {
  if (state.header) {
    *merged = *state.header;
    return;
  }
  if (message.has_versions()) *merged->mutable_versions() = message.versions();
  if (message.has_debug_info()) *merged->mutable_debug_info() = message.debug_info();
  if (message.has_library()) {
    auto* library = merged->mutable_library();
    *library->mutable_gradient() = message.library().gradient();
    *library->mutable_registered_gradients() = message.library().registered_gradients();
    library->GetReflection()->MutableUnknownFields(library)->MergeFrom(library->GetReflection()->GetUnknownFields(message.library()));
  }
  merged->GetReflection()->MutableUnknownFields(merged)->MergeFrom(message.GetReflection()->GetUnknownFields(message));
}

}  // namespace

absl::StatusOr<NodeGraph> BuildNodes(const proto::GraphDef& message, const std::string& prefix, const FunctionLibrary* library, bool is_body) {
  Importer importer(message, prefix, library, is_body);
  RETURN_IF_ERROR(importer.Build());
  return std::move(importer.graph());
}

absl::Status ImportGraph(std::string_view bytes, const ImportOptions& options, GraphState& state) {
  if (!options.prefix.empty() && !IsNodeName(options.prefix)) return InvalidArgument("Import: \"", Printable(options.prefix), "\" is no prefix for names");
  GraphMessage message;
  RETURN_IF_ERROR(ParseGraphMessage(bytes, &message));
  RETURN_IF_ERROR(CheckVersions(message.graph->versions()));
  FunctionLibrary library(state.library.get());
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<GraphFunction>> functions, ReadFunctions(message.graph->library(), library));
  ASSIGN_OR_RETURN(NodeGraph added, BuildNodes(*message.graph, options.prefix, &library));

  std::unique_lock lock(state.mutex);
  RETURN_IF_ERROR(state.CheckOpen("Import"));
  for (const Node& node : added.nodes())
    if (state.by_name.contains(node.name)) return absl::AlreadyExistsError(absl::StrCat("Import: the graph has a node \"", Absl(node.name), "\" already"));
  auto header = std::make_unique<proto::GraphDef>();
  MergeHeader(*message.graph, state, header.get());
  RETURN_IF_ERROR(state.library->Add(std::move(functions)));
  added.set_library(state.library.get());
  const int32_t shift = state.nodes.size();
  if (shift == 0) {
    state.nodes = std::move(added);
    state.by_name.reserve(state.nodes.size());
    for (int32_t id = 0; id < state.nodes.size(); ++id) state.by_name.emplace(state.nodes.node(id).name, id);
  } else {
    state.nodes.Reserve(shift + added.size());
    for (int32_t id = 0; id < added.size(); ++id) {
      Node node = std::move(added.node(id));
      for (TensorId& t : node.inputs) t.node += shift;
      for (int32_t& c : node.controls) c += shift;
      state.Append(std::move(node));
    }
  }
  const bool meta = message.meta && shift == 0;
  if (meta) {
    message.meta->clear_graph_def();
    state.meta = std::make_unique<proto::MetaGraphDef>(*message.meta);
  }
  state.header = std::move(header);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadGraphFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return InvalidArgument("is a folder, a graph file is wanted");
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError("there is no such file, or it cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace tandem
