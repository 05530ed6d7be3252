#include "tests/opcases.h"

#include <filesystem>
#include <map>
#include <set>

#include "core/attr_proto.h"
#include "core/record_io.h"
#include "core/tensor_proto.h"
#include "eager/eager_context.h"
#include "graph/graph.h"
#include "graph/node_attrs.h"
#include "graph/session.h"
#include "tests/compare.h"
#include "tests/temp_file.h"

namespace tandem {
namespace {

std::vector<std::string> ReadRecords(const std::string& path) {
  const auto reader = ValueOrThrow(RecordReader::Open(path));
  std::vector<std::string> records;
  for (std::string record; ValueOrThrow(reader->Next(&record));) records.push_back(record);
  return records;
}

proto::GraphDef Parse(const std::string& bytes, const std::string& what) {
  proto::GraphDef graph;
  if (!graph.ParseFromString(bytes)) throw Error(Code::kDataLoss, what + " is no GraphDef");
  return graph;
}

std::string Unprefixed(const std::string& name, size_t prefix) {
  return name.starts_with('^') ? "^" + name.substr(1 + prefix) : name.substr(prefix);
}

// Adds a node of a case: to what is compared, or to its graph.
void AddNode(const proto::NodeDef& node, size_t prefix, GoldenCase& c) {
  const std::string name = node.name().substr(prefix);
  if (node.op() == "Const" && !name.starts_with("in") && !name.starts_with("k") && !name.starts_with("got")) {
    if (FindOp(c.op) == OpId::kInvalid) return;  // skipped: its values may be of dtypes that are not here
    const Tensor value = ValueOrThrow(TensorFromProto(node.attr().at("value").tensor()));
    if (name == "note") c.note = value.item<std::string>();
    else if (name == "error") c.error = value.item<std::string>();
    else if (name == "rtol") c.rtol = value.item<double>();
    else if (name == "atol") c.atol = value.item<double>();
    else if (name.starts_with("want")) c.wants.emplace_back(std::stoi(name.substr(4)), value);
    if (name != "op") return;  // op: the case is one of Const
  }
  if (name.starts_with("got")) c.through_got = true;
  proto::NodeDef* added = c.graph.add_node();
  *added = node;
  added->set_name(name);
  for (std::string& input : *added->mutable_input()) input = Unprefixed(input, prefix);
}

}  // namespace

std::string GoldenCase::title() const {
  return absl::StrCat(op, bad ? " bad " : " ", number, note.empty() ? "" : absl::StrCat(" (", note, ")"));
}

bool GoldenCase::supported() const {
  for (const auto& node : graph.node())
    if (node.op() != "Const" && FindOp(node.op()) == OpId::kInvalid) return false;
  return true;
}

std::vector<std::string> GoldenCase::fetches() const {
  std::vector<std::string> names;
  for (const auto& [output, want] : wants)
    names.push_back(through_got ? absl::StrCat("got", output, ":0") : absl::StrCat("op:", output));
  return names;
}

std::vector<std::string> GoldenOps(const std::string& folder) {
  std::set<std::string> ops;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".pb") || file.ends_with(".bad.tfrecord")) ops.insert(file.substr(0, file.find('.')));
  }
  return {ops.begin(), ops.end()};
}

std::vector<GoldenCase> LoadGoldenCases(const std::string& folder, const std::string& op) {
  std::map<int, GoldenCase> cases;
  const std::string good = folder + "/" + op + ".pb", bad = folder + "/" + op + ".bad.tfrecord";
  if (std::filesystem::exists(good)) {
    const proto::GraphDef all = Parse(ReadBytes(good), good);
    for (const auto& node : all.node()) {
      const size_t slash = node.name().find('/');
      const int number = std::stoi(node.name().substr(1));
      GoldenCase& c = cases[number];
      c.op = op;
      c.number = number;
      AddNode(node, slash + 1, c);
    }
  }
  std::vector<GoldenCase> list;
  for (auto& [number, c] : cases) list.push_back(std::move(c));
  if (std::filesystem::exists(bad)) {
    int number = 0;
    for (const std::string& record : ReadRecords(bad)) {
      GoldenCase& c = list.emplace_back();
      c.op = op;
      c.bad = true;
      c.number = number++;
      const proto::GraphDef graph = Parse(record, bad);
      for (const auto& node : graph.node()) AddNode(node, 0, c);
    }
  }
  return list;
}

namespace {

// Interprets the nodes in the file's order, each through the eager context; where there are devices, through placement.
absl::Status RunEagerly(const GoldenCase& c, Tensors* fetched) {
  EagerContext fresh;  // with no state of random ops
  ContextScope scope(AnyDevices() ? nullptr : &fresh);
  std::map<std::string, Tensors> values;
  for (const auto& node : c.graph.node()) {
    Tensors& outputs = values[node.name()];
    if (node.op() == "Const") {
      ASSIGN_OR_RETURN(Tensor t, TensorFromProto(node.attr().at("value").tensor()));
      outputs.push_back(std::move(t));
      continue;
    }
    const OpId id = FindOp(node.op());
    const OpSchema& schema = GetOp(id);
    ASSIGN_OR_RETURN(NodeAttrs attrs, AttrsFromNode(schema, node));
    absl::InlinedVector<TensorRep*, 4> inputs;
    absl::InlinedVector<InferInput, 4> known;
    for (const std::string& input : node.input()) {
      if (input.starts_with('^')) continue;
      const size_t colon = input.find(':');
      const Tensors& from = values[input.substr(0, colon)];
      const size_t output = colon == input.npos ? 0 : std::stoul(input.substr(colon + 1));
      if (output >= from.size()) return InvalidArgument("the case reads ", input, ", which is not there");
      inputs.push_back(from[output].rep());
      known.push_back(InferInput::Of(*inputs.back()));
    }
    const auto refs = RefsOf(attrs);
    InferContext infer(schema, known, refs);
    RETURN_IF_ERROR(infer.Resolve());
    RETURN_IF_ERROR(CheckImpliedAttrs(infer, node));
    absl::InlinedVector<TensorRep*, 4> reps(infer.num_outputs(), nullptr);
    RETURN_IF_ERROR(DispatchCall({id, inputs, refs, Origin()}, {reps.data(), reps.size()}));
    for (TensorRep* rep : reps) outputs.push_back(Tensor::Adopt(rep));
  }
  for (const std::string& name : c.fetches()) {
    const size_t colon = name.find(':');
    const Tensors& from = values[name.substr(0, colon)];
    const size_t output = std::stoul(name.substr(colon + 1));
    if (output >= from.size()) return InvalidArgument("there is no output ", name);
    fetched->push_back(from[output]);
  }
  return absl::OkStatus();
}

// The nodes as a graph of their own, in a new Session.
absl::Status RunSession(const GoldenCase& c, OptLevel level, Tensors* fetched) {
  SessionOptions options;
  options.level = level;
  const Graph graph = Graph::Parse(c.graph.SerializeAsString());
  Session session(graph, options);
  std::vector<TensorName> fetches, targets;
  for (const std::string& name : c.fetches()) fetches.emplace_back(name);
  targets.emplace_back("op");
  *fetched = session.Run({}, fetches, targets);
  return absl::OkStatus();
}
absl::Status RunPlain(const GoldenCase& c, Tensors* fetched) { return RunSession(c, OptLevel::kO0, fetched); }
absl::Status RunOptimised(const GoldenCase& c, Tensors* fetched) { return RunSession(c, OptLevel::kO2, fetched); }

}  // namespace

const std::vector<GoldenMode>& GoldenModes() {
  static const std::vector<GoldenMode> modes = {{"eager", RunEagerly}, {"O0", RunPlain}, {"O2", RunOptimised}};
  return modes;
}

std::string CheckGoldenCase(const GoldenCase& c, const GoldenMode& mode) {
  Tensors got;
  absl::Status status;
  try {
    status = mode.run(c, &got);
  } catch (...) {
    status = StatusFromException(std::current_exception());
  }
  const std::string code = CodeName(static_cast<Code>(status.code()));
  if (!c.error.empty()) {
    if (status.ok()) return absl::StrCat("ran, want ", c.error);
    return code == c.error ? "" : absl::StrCat("got ", code, " (", std::string(status.message()), "), want ", c.error);
  }
  if (!status.ok()) return absl::StrCat("got ", code, " (", std::string(status.message()), "), want a value");
  for (size_t i = 0; i < c.wants.size(); ++i) {
    const auto& [output, want] = c.wants[i];
    Tolerance tolerance = DefaultTolerance(want.dtype());
    if (c.rtol) tolerance.rtol = *c.rtol;
    if (c.atol) tolerance.atol = *c.atol;
    if (const std::string difference = Difference(got[i], want, tolerance); !difference.empty())
      return absl::StrCat("output ", output, ": ", difference);
  }
  return "";
}

}  // namespace tandem
