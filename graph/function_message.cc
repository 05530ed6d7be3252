#include "graph/function_message.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "graph/export.h"
#include "graph/graph_message.h"
#include "graph/import.h"
#include "proto/function.pb.h"
#include "proto/graph.pb.h"

namespace tandem {
namespace {

// The output arguments of a node, with how many tensors each is.
using OutputArgs = std::vector<std::pair<std::string, int>>;

absl::Status InFunction(const std::string& name, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("function \"", name, "\": ", status.message()));
}

// Lists have as many tensors as an attribute says: the node's, or the default.
OutputArgs OutputsOf(const OpSchema& schema, const proto::NodeDef& node) {
  OutputArgs outputs;
  for (const OpArg& arg : schema.outputs()) {
    int count = 1;
    if (arg.is_list()) {
      const OpAttr& attr = schema.attrs()[arg.number_attr >= 0 ? arg.number_attr : arg.type_list_attr];
      const auto it = node.attr().find(attr.name);
      if (it != node.attr().end()) count = arg.number_attr >= 0 ? static_cast<int>(it->second.i()) : it->second.list().type_size();
      else if (!attr.has_default) count = 0;
      else if (arg.number_attr >= 0) count = attr.default_value.ref().get<int>();
      else count = static_cast<int>(attr.default_value.ref().get<std::span<const DType>>().size());
    }
    outputs.emplace_back(arg.name, count);
  }
  return outputs;
}

bool IsGeneric(const proto::OpDef::ArgDef& arg) { return !arg.type_attr().empty() || !arg.number_attr().empty() || !arg.type_list_attr().empty(); }

// One function on its way from message to body.
class Reader {
 public:
  Reader(const proto::FunctionDef& message, GraphFunction& function, const FunctionLibrary& library)
      : message_(message), function_(function), library_(library) {}

  // What a caller must know, before any body is read.
  absl::Status ReadSignature() {
    const proto::OpDef& signature = message_.signature();
    function_.name = signature.name();
    function_.stateful = signature.is_stateful();
    if (function_.name.empty()) return InvalidArgument("the library has a function without a name");
    for (const auto& arg : signature.input_arg()) RETURN_IF_ERROR(ReadType(arg, "argument", function_.arg_types));
    for (const auto& out : signature.output_arg()) {
      RETURN_IF_ERROR(ReadType(out, "result", function_.result_types));
      function_.result_names.push_back(out.name());
      if (!message_.ret().contains(out.name())) return InvalidArgument("function \"", function_.name, "\" does not say what it returns as ", out.name());
    }
    for (const auto& [key, from] : message_.ret())
      if (std::find(function_.result_names.begin(), function_.result_names.end(), key) == function_.result_names.end())
        return InvalidArgument("function \"", function_.name, "\" returns \"", Printable(key), "\", which is no output of its signature");
    function_.control_names.assign(signature.control_output().begin(), signature.control_output().end());
    function_.message = std::make_shared<const proto::FunctionDef>(message_);
    return absl::OkStatus();
  }

  absl::Status ReadBody() {
    RETURN_IF_ERROR(NameNodes());
    if (!function_.problem.ok()) {
      // Nothing can be built, but what it returns must be there all the same.
      for (const auto& out : message_.signature().output_arg()) RETURN_IF_ERROR(FindReturn(out.name()).status());
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(AddNodes());
    ASSIGN_OR_RETURN(function_.body, BuildNodes(body_, "", &library_, true));
    ASSIGN_OR_RETURN(function_.order, function_.body.TopologicalOrder());
    for (int i = 0; i < message_.signature().input_arg_size(); ++i) function_.args.push_back(i);
    for (const auto& out : message_.signature().output_arg()) {
      ASSIGN_OR_RETURN(const TensorId t, FindReturn(out.name()));
      const DType dtype = function_.body.output(t).dtype, says = function_.result_types[function_.results.size()];
      if (dtype != says)
        return InvalidArgument("result ", out.name(), " is ", Absl(DTypeName(dtype)), ", the signature says ", Absl(DTypeName(says)));
      function_.results.push_back(t);
    }
    for (const std::string& name : function_.control_names) {
      const auto ret = message_.control_ret().find(name);
      if (ret == message_.control_ret().end()) return InvalidArgument("it does not say which node is the control output ", name);
      const auto node = ids_.find(ret->second);
      if (node == ids_.end()) return InvalidArgument("control output ", name, " is \"", Printable(ret->second), "\", which it does not have");
      function_.control_results.push_back(node->second);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadType(const proto::OpDef::ArgDef& arg, std::string_view what, std::vector<DType>& types) {
    if (IsGeneric(arg)) {
      function_.problem = absl::UnimplementedError(absl::StrCat("function \"", function_.name, "\" is generic: the type of ", arg.name(), " is an attribute"));
      types.push_back(DType::kInvalid);
      return absl::OkStatus();
    }
    const auto dtype = static_cast<DType>(arg.type());
    if (DTypeName(dtype).empty() || dtype == DType::kInvalid)
      return InvalidArgument("function \"", function_.name, "\": ", Absl(what), " ", arg.name(), " has no dtype that is here (", static_cast<int>(arg.type()), ")");
    types.push_back(dtype);
    return absl::OkStatus();
  }

  absl::Status NameNodes() {
    for (const auto& arg : message_.signature().input_arg())
      if (!ids_.emplace(arg.name(), static_cast<int32_t>(ids_.size())).second) return InvalidArgument("two arguments have the name \"", Printable(arg.name()), "\"");
    num_args_ = static_cast<int32_t>(ids_.size());
    outputs_.resize(num_args_);
    for (const auto& node : message_.node_def()) {
      if (!ids_.emplace(node.name(), static_cast<int32_t>(ids_.size())).second) return InvalidArgument("two nodes have the name \"", Printable(node.name()), "\"");
      if (node.op().empty()) return InvalidArgument("node \"", Printable(node.name()), "\" has no op");
      OutputArgs& outputs = outputs_.emplace_back();
      const OpId op = FindOp(node.op());
      if (op != OpId::kInvalid) {
        outputs = OutputsOf(GetOp(op), node);
      } else if (const auto callee = library_.Find(node.op())) {
        for (const std::string& name : callee->result_names) outputs.emplace_back(name, 1);
      } else if (function_.problem.ok()) {
        function_.problem = absl::NotFoundError(absl::StrCat("function \"", function_.name, "\": there is no op \"", Printable(node.op()), "\"; node \"", node.name(), "\""));
      }
    }
    return absl::OkStatus();
  }

  // "argument", "argument:0", "node:OUTPUT:k".
  absl::StatusOr<TensorId> Find(const std::string& text) {
    const size_t colon = text.find(':');
    const auto from = ids_.find(text.substr(0, colon));
    if (from == ids_.end()) return InvalidArgument("\"", Printable(text), "\" is of a node that it does not have");
    const std::string_view rest = colon == text.npos ? std::string_view() : std::string_view(text).substr(colon + 1);
    if (from->second < num_args_) {
      if (rest.empty() || rest == "0") return TensorId{from->second, 0};
      return InvalidArgument("\"", Printable(text), "\": an argument is one tensor");
    }
    const size_t second = rest.find(':');
    if (second == rest.npos) return InvalidArgument("\"", Printable(text), "\": in a function an input reads \"", from->first, ":OUTPUT:number\"");
    const std::string_view name = rest.substr(0, second), digits = rest.substr(second + 1);
    if (digits.empty() || digits.size() > 9 || !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return InvalidArgument("\"", Printable(text), "\" has no number after the output's name");
    const int k = std::stoi(std::string(digits));
    int flat = 0;
    for (const auto& [output, count] : outputs_[from->second]) {
      if (output == name) {
        if (k < count) return TensorId{from->second, flat + k};
        return InvalidArgument("\"", Printable(text), "\": output ", output, " has ", count, count == 1 ? " tensor" : " tensors");
      }
      flat += count;
    }
    return InvalidArgument("\"", Printable(text), "\": the node has no output of that name");
  }

  absl::StatusOr<TensorId> FindReturn(const std::string& name) {
    const std::string& text = message_.ret().at(name);
    if (!ids_.contains(text.substr(0, text.find(':')))) return InvalidArgument("it returns \"", Printable(text), "\", which it does not have");
    if (!function_.problem.ok()) return TensorId{};
    auto t = Find(text);
    if (!t.ok()) return InvalidArgument("it returns ", t.status().message(), " (as ", name, ")");
    return t;
  }

  // The body as a graph's nodes.
  absl::Status AddNodes() {
    int index = 0;
    for (const auto& arg : message_.signature().input_arg()) {
      proto::NodeDef* node = body_.add_node();
      node->set_name(arg.name());
      node->set_op("_Arg");
      (*node->mutable_attr())["T"].set_type(arg.type());
      (*node->mutable_attr())["index"].set_i(index++);
    }
    for (const auto& def : message_.node_def()) {
      proto::NodeDef* node = body_.add_node();
      *node = def;
      for (std::string& input : *node->mutable_input()) {
        if (input.starts_with('^')) continue;
        auto t = Find(input);
        if (!t.ok()) return InvalidArgument(def.op(), ": input ", t.status().message(), "; node \"", def.name(), "\"");
        const std::string& from = NameOf(t->node);
        input = t->output == 0 ? from : absl::StrCat(from, ":", t->output);
      }
    }
    return absl::OkStatus();
  }
  const std::string& NameOf(int32_t id) const {
    return id < num_args_ ? message_.signature().input_arg(id).name() : message_.node_def(id - num_args_).name();
  }

  const proto::FunctionDef& message_;
  GraphFunction& function_;
  const FunctionLibrary& library_;
  absl::flat_hash_map<std::string, int32_t> ids_;  // arguments first, then nodes
  std::vector<OutputArgs> outputs_;                // by id
  int32_t num_args_ = 0;
  proto::GraphDef body_;
};

}  // namespace

absl::StatusOr<std::vector<std::shared_ptr<GraphFunction>>> ReadFunctions(const proto::FunctionDefLibrary& message, FunctionLibrary& library) {
  std::vector<std::shared_ptr<GraphFunction>> functions;
  std::vector<const proto::FunctionDef*> messages;
  absl::flat_hash_map<std::string, const proto::FunctionDef*> seen;
  for (const proto::FunctionDef& def : message.function()) {
    const std::string& name = def.signature().name();
    const auto [it, added] = seen.emplace(name, &def);
    if (!added) {
      if (Deterministic(*it->second) == Deterministic(def)) continue;
      return InvalidArgument("the library has two different functions named \"", name, "\"");
    }
    if (const auto known = library.Find(name)) {
      ASSIGN_OR_RETURN(const proto::FunctionDef other, FunctionToProto(*known));
      if (Deterministic(other) == Deterministic(def)) continue;
      return absl::AlreadyExistsError(absl::StrCat("the graph has another function named \"", name, "\""));
    }
    auto function = std::make_shared<GraphFunction>();
    RETURN_IF_ERROR(Reader(def, *function, library).ReadSignature());
    functions.push_back(std::move(function));
    messages.push_back(&def);
  }
  // Bodies may call any of them; they are read when all signatures are known.
  RETURN_IF_ERROR(library.Add(functions));
  for (size_t i = 0; i < functions.size(); ++i)
    RETURN_IF_ERROR(InFunction(functions[i]->name, Reader(*messages[i], *functions[i], library).ReadBody()));
  for (const auto& gradient : message.gradient())
    for (const std::string* name : {&gradient.function_name(), &gradient.gradient_func()})
      if (!library.Find(*name)) return absl::NotFoundError(absl::StrCat("the library has a gradient of \"", Printable(gradient.function_name()), "\", but no function \"", Printable(*name), "\""));
  library.Settle(functions);
  return functions;
}

absl::StatusOr<proto::FunctionDef> FunctionToProto(const GraphFunction& function) {
  if (function.message) return *function.message;
  proto::FunctionDef message;
  proto::GraphDef body;
  RETURN_IF_ERROR(InFunction(function.name, NodesToProto(function.body, &body)));
  proto::OpDef& signature = *message.mutable_signature();
  signature.set_name(function.name);
  signature.set_is_stateful(function.stateful);
  std::vector<bool> is_arg(function.body.size(), false);
  for (size_t i = 0; i < function.args.size(); ++i) {
    is_arg[function.args[i]] = true;
    auto* arg = signature.add_input_arg();
    arg->set_name(std::string(function.body.node(function.args[i]).name));
    arg->set_type(static_cast<proto::DataType>(function.arg_types[i]));
  }
  const auto spelled = [&](TensorId t) {
    const Node& from = function.body.node(t.node);
    if (is_arg[t.node]) return std::string(from.name);
    int k = t.output;
    for (const auto& [name, count] : OutputsOf(from.schema(), body.node(t.node))) {
      if (k < count) return absl::StrCat(std::string(from.name), ":", name, ":", k);
      k -= count;
    }
    return function.body.TensorName(t);
  };
  for (int32_t id = 0; id < function.body.size(); ++id) {
    if (is_arg[id]) continue;
    proto::NodeDef* node = message.add_node_def();
    *node = body.node(id);
    const Node& built = function.body.node(id);
    for (size_t i = 0; i < built.inputs.size(); ++i) node->set_input(static_cast<int>(i), spelled(built.inputs[i]));
  }
  for (size_t i = 0; i < function.results.size(); ++i) {
    auto* out = signature.add_output_arg();
    out->set_name(function.result_names[i]);
    out->set_type(static_cast<proto::DataType>(function.result_types[i]));
    (*message.mutable_ret())[function.result_names[i]] = spelled(function.results[i]);
  }
  for (size_t i = 0; i < function.control_results.size(); ++i) {
    signature.add_control_output(function.control_names[i]);
    (*message.mutable_control_ret())[function.control_names[i]] = std::string(function.body.node(function.control_results[i]).name);
  }
  return message;
}

}  // namespace tandem
