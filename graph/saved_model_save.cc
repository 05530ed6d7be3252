#include <unistd.h>

#include <filesystem>
#include <set>

#include "core/bundle/bundle_writer.h"
#include "core/bundle/output_file.h"
#include "core/context.h"
#include "core/host_function.h"
#include "core/ops/checkpoint.h"
#include "core/tensor_proto.h"
#include "core/variable_storage.h"
#include "graph/export.h"
#include "graph/graph_state.h"
#include "graph/saved_model.h"
#include "proto/saved_model.pb.h"
#include "proto/variable.pb.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// A variable of the graph: its handle's node and its value.
struct ModelVariable {
  std::string node, key;
  DType dtype;
  Tensor value;
};

std::string KeyOf(const Node& handle) {
  const std::string_view shared = handle.attrs[static_cast<size_t>(handle.schema().attrs()[handle.schema().FindAttr("shared_name")].explicit_index)]
                                      .ref()
                                      .get<std::string_view>();
  return std::string(shared.empty() ? std::string_view(handle.name) : shared);
}

// Host functions that only this process knows.
void CheckHostFunctions(const GraphState& state) {
  std::set<std::string> unknown;
  for (const Node& node : state.nodes.nodes()) {
    if (node.op != Op<"EagerPyFunc">()) continue;
    const int i = node.schema().attrs()[node.schema().FindAttr("token")].explicit_index;
    const std::string token(node.attrs[static_cast<size_t>(i)].ref().get<std::string_view>());
    if (state.host_functions.contains(token) || !FindHostFunction(token)) unknown.insert(token);
  }
  std::string names;
  for (const std::string& name : unknown) absl::StrAppend(&names, names.empty() ? "" : ", ", name);
  if (!names.empty())
    ThrowError(absl::FailedPreconditionError(absl::StrCat("SaveModel: host functions that are not registered (RegisterHostFunction): ", names)));
}

// The variables with the values that eager code holds; names of nodes whose value a Session has.
std::vector<ModelVariable> CapturedVariables(const GraphState& state) {
  std::vector<ModelVariable> variables;
  std::shared_lock lock(state.mutex);
  CheckHostFunctions(state);
  for (const Node& node : state.nodes.nodes()) {
    if (node.op != Op<"VarHandleOp">()) continue;
    ModelVariable v = {std::string(node.name), KeyOf(node), DType::kInvalid, Tensor()};
    if (node.extra && node.extra->captured.defined()) {
      const auto* storage = dynamic_cast<const VariableStorage*>(node.extra->captured.rep()->as<ResourceBase*>()[0]);
      if (!storage) continue;
      auto value = storage->Read();
      if (!value.ok()) ThrowError(WithNode(value.status(), node.name));
      v.value = *std::move(value);
    }
    const int dtype = node.schema().attrs()[node.schema().FindAttr("dtype")].explicit_index;
    v.dtype = node.attrs[static_cast<size_t>(dtype)].ref().get<DType>();
    variables.push_back(std::move(v));
  }
  return variables;
}

// A reader of the variable in the graph that waits for nothing; one is added where there is none.
Tensor ReaderOf(const Graph& graph, const std::string& handle, DType dtype) {
  {
    const GraphState& state = graph.state();
    std::shared_lock lock(state.mutex);
    for (const Node& node : state.nodes.nodes())
      if (node.op == Op<"ReadVariableOp">() && node.controls.empty() && state.nodes.node(node.inputs[0].node).name == handle) {
        const std::string name(node.name);
        lock.unlock();
        return graph.Find(name);
      }
  }
  const GraphScope scope(graph);
  return Run(Op<"ReadVariableOp">(), {graph.Find(handle)}, {dtype});
}

void ReadFromSession(const Graph& graph, Session* session, std::vector<ModelVariable>& variables) {
  std::vector<TensorName> fetches;
  std::vector<ModelVariable*> wanted;
  for (ModelVariable& v : variables) {
    if (v.value.defined()) continue;
    if (!session)
      ThrowError(absl::FailedPreconditionError(absl::StrCat("SaveModel: variable \"", v.node, "\" was made in the graph: SaveModelOptions::session, which holds its value, is missing")));
    fetches.emplace_back(ReaderOf(graph, v.node, v.dtype));
    wanted.push_back(&v);
  }
  if (fetches.empty()) return;
  const Tensors values = session->RunAll({}, fetches, {}, {});
  for (size_t i = 0; i < values.size(); ++i) wanted[i]->value = values[i];
}

std::string NodeOf(const Tensor& tensor) { return tensor.name().substr(0, tensor.name().rfind(':')); }

// Adds a Saver's nodes to the graph, and says where they are.
void AddSaver(const Graph& graph, const std::vector<ModelVariable>& variables, proto::MetaGraphDef& meta) {
  if (variables.empty()) return;
  const GraphScope scope(graph);
  const NameScope save("save");
  const Tensor prefix = PlaceholderWithDefault(Constant("model", "filename"), Shape(), "Const");
  const NameScope own(NodeOf(prefix).substr(NodeOf(prefix).rfind('/') + 1) + "_nodes");
  std::vector<std::string> keys;
  std::vector<DType> dtypes;
  Tensors handles, reads, restored;
  for (const ModelVariable& v : variables) {
    keys.push_back(v.key);
    dtypes.push_back(v.dtype);
    handles.push_back(graph.Find(v.node));
    reads.push_back(Run(Op<"ReadVariableOp">(), {handles.back()}, {v.dtype}));
  }
  SaveV2(prefix, keys, {}, reads);
  {
    const ControlDependencies after({NodeOf(prefix) + "_nodes/SaveV2"});
    meta.mutable_saver_def()->set_save_tensor_name(Identity(prefix, "control_dependency").name());
  }
  const Tensors values = RestoreV2(prefix, keys, {}, dtypes);
  proto::CollectionDef collection;
  for (size_t i = 0; i < variables.size(); ++i) {
    const Tensor inputs[] = {handles[i], values[i]};
    RunMany(Op<"AssignVariableOp">(), inputs, {false});
    const std::string assign = NodeOf(prefix) + "_nodes/AssignVariableOp" + (i ? absl::StrCat("_", i) : "");
    {
      const ControlDependencies after({assign});
      restored.push_back(Identity(prefix));
    }
    proto::VariableDef def;  // by which TensorFlow 2 finds the variables of a graph
    def.set_variable_name(handles[i].name());
    def.set_initial_value_name(values[i].name());
    def.set_initializer_name(assign);
    def.set_snapshot_name(reads[i].name());
    def.set_is_resource(true);
    def.set_trainable(true);
    collection.mutable_bytes_list()->add_value(def.SerializeAsString());
  }
  const ControlDependencies after(restored);
  auto* saver = meta.mutable_saver_def();
  saver->set_filename_tensor_name(prefix.name());
  saver->set_restore_op_name(NodeOf(Identity(prefix, "restore_all")));
  saver->set_version(proto::SaverDef::V2);
  for (const char* name : {"variables", "trainable_variables"}) (*meta.mutable_collection_def())[name] = collection;
}

void ToInfo(const Tensor& tensor, proto::TensorInfo* info) {
  info->set_name(tensor.name());
  info->set_dtype(static_cast<proto::DataType>(tensor.dtype()));
  ShapeToProto(tensor.shape(), info->mutable_tensor_shape());
}

// The tensor of the copy that a name, or a tensor of the original, says.
Tensor InCopy(const Graph& copy, const TensorName& name) { return copy.Find(name.tensor().defined() ? name.tensor().name() : name.text()); }

void AddSignatures(const Graph& copy, const SaveModelOptions& options, proto::MetaGraphDef& meta) {
  for (const auto& [name, signature] : options.signatures) {
    proto::SignatureDef& def = (*meta.mutable_signature_def())[name];
    def.set_method_name(signature.method_name);
    for (const auto& [key, tensor] : signature.inputs) ToInfo(InCopy(copy, tensor), &(*def.mutable_inputs())[key]);
    for (const auto& [key, tensor] : signature.outputs) ToInfo(InCopy(copy, tensor), &(*def.mutable_outputs())[key]);
  }
  if (options.init_op.empty()) return;
  ThrowIfError([&] {
    std::shared_lock lock(copy.state().mutex);
    return copy.state().FindNode(options.init_op).status();
  }());
  (*(*meta.mutable_signature_def())["__saved_model_init_op"].mutable_outputs())["__saved_model_init_op"].set_name(options.init_op);
  (*meta.mutable_collection_def())["saved_model_main_op"].mutable_node_list()->add_value(options.init_op);
}

void AddAssets(const std::string& folder, const Graph& copy, const SaveModelOptions& options, proto::MetaGraphDef& meta) {
  for (const Asset& asset : options.assets) {
    const std::string name = fs::path(asset.path).filename().string();
    ThrowIfError(MakeFolderOf(folder + "/assets/x"));
    std::error_code error;
    fs::copy_file(asset.path, folder + "/assets/" + name, error);
    if (error) ThrowError(FileError(error.value(), asset.path, "cannot be copied into the model"));
    auto* def = meta.add_asset_file_def();
    def->set_filename(name);
    def->mutable_tensor_info()->set_name(InCopy(copy, asset.tensor).name());
    auto* any = (*meta.mutable_collection_def())["saved_model_assets"].mutable_any_list()->add_value();
    any->set_type_url("type.googleapis.com/tensorflow.AssetFileDef");
    any->set_value(def->SerializeAsString());
  }
}

void WriteVariables(const std::string& folder, const std::vector<ModelVariable>& variables) {
  if (variables.empty()) return;
  const auto writer = ValueOrThrow(BundleWriter::Create(folder + "/variables/variables"));
  for (const ModelVariable& v : variables) {
    const Tensor value = v.value.rep()->on_host() ? v.value : v.value.Cpu();
    ThrowIfError(writer->Add(v.key, *value.rep()));
  }
  ThrowIfError(writer->Finish());
}

}  // namespace

void SaveModel(const std::string& folder, const Graph& graph, const SaveModelOptions& options) {
  std::error_code ignored;
  if (options.signatures.empty()) ThrowError(InvalidArgument("SaveModel: there is no signature; \"serving_default\" is what tools look for"));
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored)) ThrowError(absl::AlreadyExistsError(absl::StrCat("SaveModel: ", folder, " is there and not empty")));
  const ContextScope eager(nullptr);
  std::vector<ModelVariable> variables = CapturedVariables(graph.state());
  ReadFromSession(graph, options.session, variables);

  const Graph copy = Graph::Parse(graph.Serialize());  // the user's graph stays without a saver
  proto::SavedModel model;
  model.set_saved_model_schema_version(1);
  proto::MetaGraphDef& meta = *model.add_meta_graphs();
  for (const std::string& tag : options.tags) meta.mutable_meta_info_def()->add_tags(tag);
  AddSignatures(copy, options, meta);
  AddSaver(copy, variables, meta);
  ThrowIfError(GraphToProto(copy.state(), meta.mutable_graph_def()));

  const std::string unfinished = absl::StrCat(folder, ".unfinished-", ::getpid());
  try {
    ThrowIfError(MakeFolderOf(unfinished + "/x"));
    AddAssets(unfinished, copy, options, meta);
    WriteVariables(unfinished, variables);
    ThrowIfError(WriteFileAtomically(unfinished + "/saved_model.pb", model.SerializeAsString()));
    fs::remove(folder, ignored);  // an empty one
    std::error_code error;
    fs::rename(unfinished, folder, error);
    if (error) ThrowError(FileError(error.value(), folder, "cannot be made"));
    ThrowIfError(SyncFolder(folder));
  } catch (...) {
    fs::remove_all(unfinished, ignored);
    throw;
  }
}

}  // namespace tandem
