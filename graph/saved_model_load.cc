#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "core/bundle/output_file.h"
#include "core/op.h"
#include "core/tensor_proto.h"
#include "graph/saved_model.h"
#include "proto/saved_model.pb.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInitOp = "__saved_model_init_op";

absl::StatusOr<proto::SavedModel> ReadSavedModel(const std::string& folder) {
  proto::SavedModel model;
  const std::string binary = folder + "/saved_model.pb", text = folder + "/saved_model.pbtxt";
  auto bytes = ReadWholeFile(binary);
  if (bytes.ok()) {
    if (!model.ParseFromString(*bytes)) return absl::DataLossError(absl::StrCat(binary, ": is no SavedModel, or is cut off"));
    return model;
  }
  if (!absl::IsNotFound(bytes.status())) return bytes.status();
  bytes = ReadWholeFile(text);
  if (absl::IsNotFound(bytes.status())) return absl::NotFoundError(absl::StrCat(folder, ": there is no saved_model.pb and no saved_model.pbtxt"));
  RETURN_IF_ERROR(bytes.status());
  if (!google::protobuf::TextFormat::ParseFromString(*bytes, &model)) return absl::DataLossError(absl::StrCat(text, ": is no SavedModel"));
  return model;
}

std::string Listed(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  std::string all;
  for (const std::string& t : texts) absl::StrAppend(&all, all.empty() ? "" : ",", t);
  return "{" + all + "}";
}

// The graph whose set of tags is the one asked for.
absl::StatusOr<const proto::MetaGraphDef*> ChooseGraph(const proto::SavedModel& model, const std::vector<std::string>& tags, const std::string& folder) {
  std::string there;
  for (const auto& meta : model.meta_graphs()) {
    const std::string have = Listed({meta.meta_info_def().tags().begin(), meta.meta_info_def().tags().end()});
    if (have == Listed(tags)) return &meta;
    absl::StrAppend(&there, there.empty() ? "" : ", ", have);
  }
  return absl::NotFoundError(absl::StrCat(folder, ": has no graph with the tags ", Listed(tags), ", only ", there.empty() ? "none at all" : there));
}

SignatureInfo::Argument ToArgument(const std::string& name, const proto::TensorInfo& info) {
  const auto dtype = DTypeFromProto(info.dtype());
  const auto shape = ShapeFromProto(info.tensor_shape());
  return {name, info.name(), dtype.value_or(DType::kInvalid), shape.value_or(Shape::Unknown())};
}

std::vector<SignatureInfo> ToSignatures(const proto::MetaGraphDef& meta) {
  std::vector<SignatureInfo> signatures;
  for (const auto& [name, def] : meta.signature_def()) {
    if (name == kInitOp) continue;
    SignatureInfo& s = signatures.emplace_back();
    s.name = name;
    for (const auto& [key, info] : def.inputs()) s.inputs.push_back(ToArgument(key, info));
    for (const auto& [key, info] : def.outputs()) s.outputs.push_back(ToArgument(key, info));
    std::ranges::sort(s.inputs, {}, &SignatureInfo::Argument::name);
    std::ranges::sort(s.outputs, {}, &SignatureInfo::Argument::name);
  }
  std::ranges::sort(signatures, {}, &SignatureInfo::name);
  return signatures;
}

// The op to run after restoring; "" when there is none.
std::string InitOp(const proto::MetaGraphDef& meta) {
  const auto signature = meta.signature_def().find(std::string(kInitOp));
  if (signature != meta.signature_def().end())
    for (const auto& [key, info] : signature->second.outputs()) return info.name();
  for (const char* collection : {"saved_model_main_op", "legacy_init_op"}) {
    const auto it = meta.collection_def().find(collection);
    if (it != meta.collection_def().end() && !it->second.node_list().value().empty()) return it->second.node_list().value(0);
  }
  return "";
}

// What the initializer is fed: the assets' paths.
std::vector<Feed> AssetFeeds(const proto::MetaGraphDef& meta, const std::string& folder) {
  std::vector<Feed> feeds;
  const auto add = [&](const proto::AssetFileDef& asset) {
    const std::string& tensor = asset.tensor_info().name();
    for (const Feed& f : feeds)
      if (f.name.text() == tensor) return;
    feeds.push_back({tensor, Tensor(folder + "/assets/" + asset.filename())});
  };
  for (const auto& asset : meta.asset_file_def()) add(asset);
  const auto collection = meta.collection_def().find("saved_model_assets");  // TensorFlow 1's place for them
  if (collection != meta.collection_def().end())
    for (const auto& any : collection->second.any_list().value()) {
      proto::AssetFileDef asset;
      if (asset.ParseFromString(any.value())) add(asset);
    }
  return feeds;
}

std::string NodePart(const std::string& name) {
  const std::string node = name.starts_with('^') ? name.substr(1) : name;
  return node.substr(0, node.rfind(':') == node.npos ? node.size() : node.rfind(':'));
}

// The names of functions that a node calls: its op, and its attributes.
void AddCalled(const proto::NodeDef& node, std::vector<std::string>& called) {
  called.push_back(node.op());
  for (const auto& [name, attr] : node.attr()) {
    if (attr.has_func()) called.push_back(attr.func().name());
    for (const auto& f : attr.list().func()) called.push_back(f.name());
  }
}

// Leaves the nodes that signatures, restoring and initializing need, and the functions that these call.
void KeepWhatServes(proto::MetaGraphDef& meta) {
  proto::GraphDef& graph = *meta.mutable_graph_def();
  std::unordered_map<std::string, const proto::NodeDef*> nodes;
  for (const auto& node : graph.node()) nodes[node.name()] = &node;
  std::vector<std::string> work = {meta.saver_def().restore_op_name(), meta.saver_def().filename_tensor_name(), InitOp(meta)};
  for (const auto& [name, signature] : meta.signature_def()) {
    for (const auto& [key, info] : signature.inputs()) work.push_back(info.name());
    for (const auto& [key, info] : signature.outputs()) work.push_back(info.name());
  }
  for (const Feed& feed : AssetFeeds(meta, "")) work.push_back(feed.name.text());
  std::unordered_set<std::string> keep;
  std::vector<std::string> called;
  while (!work.empty()) {
    const std::string name = NodePart(work.back());
    work.pop_back();
    const auto it = nodes.find(name);
    if (it == nodes.end() || !keep.insert(name).second) continue;
    for (const std::string& input : it->second->input()) work.push_back(input);
    AddCalled(*it->second, called);
  }
  std::unordered_map<std::string, const proto::FunctionDef*> functions;
  for (const auto& f : graph.library().function()) functions[f.signature().name()] = &f;
  std::unordered_set<std::string> kept_functions;
  while (!called.empty()) {
    const std::string name = called.back();
    called.pop_back();
    const auto it = functions.find(name);
    if (it == functions.end() || !kept_functions.insert(name).second) continue;
    for (const auto& node : it->second->node_def()) AddCalled(node, called);
  }
  proto::GraphDef kept = graph;
  kept.clear_node();
  for (const auto& node : graph.node())
    if (keep.contains(node.name())) *kept.add_node() = node;
  kept.mutable_library()->clear_function();
  for (const auto& f : graph.library().function())
    if (kept_functions.contains(f.signature().name())) *kept.mutable_library()->add_function() = f;
  graph = std::move(kept);
}

// Whether an op, in the graph or in its functions, is not here. Saving takes ops that serving does not.
bool HasUnknownOps(const proto::GraphDef& graph) {
  std::unordered_set<std::string> functions;
  for (const auto& f : graph.library().function()) functions.insert(f.signature().name());
  const auto unknown = [&](const proto::NodeDef& node) { return FindOp(node.op()) == OpId::kInvalid && !functions.contains(node.op()); };
  return std::ranges::any_of(graph.node(), unknown) ||
         std::ranges::any_of(graph.library().function(), [&](const auto& f) { return std::ranges::any_of(f.node_def(), unknown); });
}

bool HasVariables(const proto::MetaGraphDef& meta) {
  return std::ranges::any_of(meta.graph_def().node(), [](const auto& n) { return n.op() == "VarHandleOp" || n.op() == "VariableV2"; });
}

std::string VariablesPrefix(const std::string& folder) { return folder + "/variables/variables"; }

// TensorFlow 2 writes a saver even where there is nothing to restore: only variables make a missing file an error.
void CheckVariables(const proto::MetaGraphDef& meta, const std::string& folder) {
  const std::string index = VariablesPrefix(folder) + ".index";
  if (!meta.saver_def().restore_op_name().empty() && HasVariables(meta) && !fs::exists(index))
    ThrowError(absl::NotFoundError(absl::StrCat(index, ": there is no such file: the model's variables are missing")));
}

void Restore(const proto::MetaGraphDef& meta, const std::string& folder, Session& session) {
  if (meta.saver_def().restore_op_name().empty() || !fs::exists(VariablesPrefix(folder) + ".index")) return;
  const Feed feed = {meta.saver_def().filename_tensor_name(), Tensor(VariablesPrefix(folder))};
  session.RunAll({&feed, 1}, {}, {TensorName(NodePart(meta.saver_def().restore_op_name()))}, {});
}

void Initialize(const proto::MetaGraphDef& meta, const std::string& folder, Session& session) {
  const std::string op = InitOp(meta);
  if (!op.empty()) session.RunAll(AssetFeeds(meta, folder), {}, {TensorName(NodePart(op))}, {});
}

}  // namespace

LoadedModel LoadModel(const std::string& folder, LoadModelOptions options) {
  const proto::SavedModel saved = ValueOrThrow(ReadSavedModel(folder));
  proto::MetaGraphDef meta = *ValueOrThrow(ChooseGraph(saved, options.tags, folder));
  if (HasUnknownOps(meta.graph_def())) KeepWhatServes(meta);
  LoadedModel model;
  try {
    CheckVariables(meta, folder);
    model.graph_ = Graph::Parse(meta.SerializeAsString());
    model.session_ = std::make_unique<Session>(model.graph_, options.session);
    Restore(meta, folder, *model.session_);
    Initialize(meta, folder, *model.session_);
  } catch (const Error& e) {
    throw Error(e.code(), folder + ": " + e.message(), e.node());
  }
  model.signatures_ = ToSignatures(meta);
  return model;
}

const SignatureInfo& LoadedModel::FindSignature(std::string_view name) const {
  std::string there;
  for (const SignatureInfo& s : signatures_) {
    if (s.name == (name.empty() ? "serving_default" : name) || (name.empty() && signatures_.size() == 1)) return s;
    absl::StrAppend(&there, there.empty() ? "" : ", ", s.name);
  }
  ThrowError(absl::NotFoundError(absl::StrCat("there is no signature \"", name.empty() ? "serving_default" : Absl(name), "\"; there are: ", there.empty() ? "none" : there)));
}

std::map<std::string, Tensor> LoadedModel::Run(const std::map<std::string, Tensor>& inputs, std::string_view signature) {
  const SignatureInfo& s = FindSignature(signature);
  std::vector<Feed> feeds;
  for (const auto& [name, value] : inputs) {
    const auto it = std::ranges::find(s.inputs, name, &SignatureInfo::Argument::name);
    if (it == s.inputs.end()) {
      std::string there;
      for (const auto& a : s.inputs) absl::StrAppend(&there, there.empty() ? "" : ", ", a.name);
      ThrowError(InvalidArgument("signature \"", s.name, "\" has no input \"", name, "\", only: ", there));
    }
    feeds.push_back({it->tensor, value});
  }
  for (const auto& a : s.inputs)
    if (!inputs.contains(a.name)) ThrowError(InvalidArgument("signature \"", s.name, "\" needs the input \"", a.name, "\": ", std::string(DTypeName(a.dtype)), a.shape.ToString()));
  std::vector<TensorName> fetches;
  for (const auto& a : s.outputs) fetches.emplace_back(a.tensor);
  const Tensors values = session_->RunAll(feeds, fetches, {}, {});
  std::map<std::string, Tensor> outputs;
  for (size_t i = 0; i < values.size(); ++i) outputs[s.outputs[i].name] = values[i];
  return outputs;
}

}  // namespace tandem
