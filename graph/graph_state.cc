#include "graph/graph_state.h"

#include <algorithm>
#include <atomic>
#include <cctype>

#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

namespace tandem {
namespace {

uint64_t LowerCaseHash(std::string_view name) {
  uint64_t h = 14695981039346656037u;
  for (char c : name) h = (h ^ static_cast<unsigned char>(std::tolower(static_cast<unsigned char>(c)))) * 1099511628211u;
  return h;
}

// The number of edits between two names, or more than limit.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

// Up to three node names that look like `name`: near in edits, or with it as their last part.
std::string CloseMatches(const NodeGraph& nodes, std::string_view name) {
  constexpr int32_t kSearched = 100000;  // an error must not cost a scan of millions of names
  std::vector<std::pair<size_t, std::string_view>> close;
  const size_t limit = name.size() <= 4 ? 1 : 2;
  for (int32_t id = 0; id < std::min(nodes.size(), kSearched); ++id) {
    const std::string_view other = nodes.node(id).name;
    const bool last_part = other.size() > name.size() && other.ends_with(name) && other[other.size() - name.size() - 1] == '/';
    const size_t distance = last_part ? 0 : EditDistance(name, other, limit);
    if (distance <= limit) close.emplace_back(distance, other);
  }
  std::stable_sort(close.begin(), close.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (size_t i = 0; i < close.size() && i < 3; ++i) absl::StrAppend(&text, i ? ", " : "; close: ", "\"", Absl(close[i].second), "\"");
  return text;
}

uint64_t NextSerial() {
  static std::atomic<uint64_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

GraphState::GraphState(std::shared_ptr<FunctionLibrary> functions)
    : serial(NextSerial()), library(functions ? std::move(functions) : std::make_shared<FunctionLibrary>()) {
  nodes.set_library(library.get());
}
GraphState::GraphState(RefPtr<GraphState> around) : outer(std::move(around)), serial(NextSerial()), library(outer->library) {
  nodes.set_library(library.get());
}
GraphState::~GraphState() = default;

std::string GraphState::TensorName(int node, int output) const {
  std::shared_lock lock(mutex);
  return nodes.TensorName({node, output});
}

Origin GraphState::NodeOrigin(int node) const {
  std::shared_lock lock(mutex);
  return nodes.node(node).origin;
}

std::string GraphState::NodeDevice(int node) const {
  std::shared_lock lock(mutex);
  return std::string(nodes.node(node).device());
}

Tensor GraphState::ConstantValue(int node, int) const {
  std::shared_lock lock(mutex);
  const Node& n = nodes.node(node);
  return n.op == Op<"Const">() ? n.attrs[0].ref().get<Tensor>() : Tensor();
}

std::optional<Tensors> GraphState::InputsOfNode(int node, OpId op) {
  std::shared_lock lock(mutex);
  if (nodes.node(node).op != op) return std::nullopt;
  Tensors inputs;
  for (TensorId t : nodes.node(node).inputs) inputs.push_back(Symbol(t));
  return inputs;
}

std::string GraphState::LastUpdateOf(const Tensor& handle) {
  std::shared_lock lock(mutex);
  int32_t variable = -1;
  if (handle.symbolic()) variable = handle.rep()->symbol().node;
  else if (const auto it = captured.find(handle.rep()->as<ResourceBase*>()[0]); it != captured.end()) variable = it->second;
  for (int32_t id = nodes.size(); id-- > 0 && variable >= 0;) {
    const Node& n = nodes.node(id);
    if (n.schema().has(kSideEffect) && !n.inputs.empty() && n.inputs[0].node == variable) return std::string(n.name);
  }
  return "";
}

Tensor GraphState::InitialValueOf(const Tensor& handle) {
  std::shared_lock lock(mutex);
  for (int32_t id : initializers)
    if (nodes.node(id).inputs[0].node == handle.rep()->symbol().node) return Symbol(nodes.node(id).inputs[1]);
  return {};
}

void GraphState::ReadAfterUpdate(int read) {
  std::unique_lock lock(mutex);
  Node& reader = nodes.node(read);
  for (int32_t id = read; id-- > 0;) {
    const Node& n = nodes.node(id);
    if (n.op != Op<"AssignVariableOp">() && n.op != Op<"AssignAddVariableOp">() && n.op != Op<"AssignSubVariableOp">()) continue;
    if (n.inputs[0] != reader.inputs[0]) continue;
    if (std::find(reader.controls.begin(), reader.controls.end(), id) == reader.controls.end()) reader.controls.push_back(id);
    return;
  }
}

std::string GraphState::UniqueName(std::string_view base) {
  for (; named_ < nodes.size(); ++named_) next_suffix_.try_emplace(LowerCaseHash(nodes.node(named_).name), 1);
  const auto it = next_suffix_.find(LowerCaseHash(base));
  if (it == next_suffix_.end()) return std::string(base);
  std::string name;
  int32_t suffix = it->second;
  do name = absl::StrCat(Absl(base), "_", suffix++);
  while (next_suffix_.contains(LowerCaseHash(name)));
  next_suffix_[LowerCaseHash(base)] = suffix;
  return name;
}

int32_t GraphState::Append(Node node) {
  node.name = nodes.AddName(node.name);
  const int32_t id = nodes.AddCopy(std::move(node));
  by_name.emplace(nodes.node(id).name, id);
  return id;
}

absl::Status GraphState::CheckOpen(std::string_view what) const {
  if (!finalized) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(Absl(what), ": the graph is finalized, no node can be added"));
}

absl::StatusOr<int32_t> GraphState::FindNode(std::string_view name) const {
  const auto it = by_name.find(name);
  if (it != by_name.end()) return it->second;
  return absl::NotFoundError(absl::StrCat("the graph has no node \"", Absl(name), "\"", CloseMatches(nodes, name)));
}

absl::StatusOr<TensorId> GraphState::FindTensor(std::string_view name) const {
  const size_t colon = name.rfind(':');
  const std::string_view node_name = name.substr(0, colon);
  int64_t output = 0;
  if (colon != name.npos) {
    const std::string_view digits = name.substr(colon + 1);
    const bool number = !digits.empty() && digits.size() <= 9 && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!number) return InvalidArgument("\"", Absl(name), "\" names no tensor: after the colon stands the output's number");
    output = std::stol(std::string(digits));
  }
  ASSIGN_OR_RETURN(const int32_t id, FindNode(node_name));
  const Node& node = nodes.node(id);
  if (output >= static_cast<int64_t>(node.outputs.size()))
    return InvalidArgument("\"", Absl(name), "\": node \"", Absl(node.name), "\" (", Absl(OpName(node.op)), ") has ", node.outputs.size(),
                           node.outputs.size() == 1 ? " output" : " outputs");
  return TensorId{id, static_cast<int32_t>(output)};
}

Tensor GraphState::Symbol(TensorId t) {
  const NodeOutput& out = nodes.output(t);
  TensorRep* rep = NewSymbolic(out.dtype, out.shape, {this, t.node, t.output});
  if (!rep) throw std::bad_alloc();
  return Tensor::Adopt(rep);
}

absl::StatusOr<TensorId> GraphState::IdOf(const Tensor& tensor, std::string_view what) const {
  if (!tensor.defined()) return InvalidArgument(Absl(what), ": an undefined tensor");
  if (!tensor.symbolic()) return InvalidArgument(Absl(what), ": the tensor has a value; a tensor of the graph is wanted");
  if (GraphOf(tensor) != this) return InvalidArgument(Absl(what), ": the tensor belongs to another graph");
  return TensorId{tensor.rep()->symbol().node, tensor.rep()->symbol().output};
}

void GraphState::BreakCycles() {
  std::map<std::string, BackwardFn, std::less<>> dropped;
  std::unique_lock lock(mutex);
  dropped.swap(custom_gradients);
  lock.unlock();  // what they held may be this graph's own tensors
}

}  // namespace tandem
