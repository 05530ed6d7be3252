#include "graph/executable.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "core/variable_storage.h"
#include "graph/passes/event_log.h"
#include "graph/placement.h"

namespace tandem {
namespace {

// Fed shapes that change from Run to Run make a plan each; beyond this many the oldest goes.
constexpr size_t kMaxPlans = 16;
// A function whose arguments change their shapes in each call, a loop that lengthens a tensor, gets one plan for all
// shapes beyond this many.
constexpr size_t kMaxFunctionPlans = 4;

// What a fed handle refers to.
HandleInfo HandleOf(const TensorRep& rep) {
  if (rep.dtype != kResource || rep.count != 1) return {};
  const ResourceBase* resource = rep.as<ResourceBase*>()[0];
  return resource && resource->kind() == "variable" ? static_cast<const VariableStorage*>(resource)->info() : HandleInfo{};
}

bool SameHandle(const HandleInfo& a, const HandleInfo& b) {
  if (a.dtype != b.dtype || a.shape.known_rank() != b.shape.known_rank()) return false;
  return !a.shape.known_rank() || a.shape == b.shape;
}

}  // namespace

bool PlannedRun::Fits(std::span<TensorRep* const> feeds) const {
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Shape& shape = feeds_[i].shape;
    if (!shape.known_rank()) {
      if (feeds[i]->dtype == kResource && !SameHandle(HandleOf(*feeds[i]), feeds_[i].handle)) return false;
      continue;
    }
    if (feeds[i]->rank != shape.rank()) return false;
    const int64_t* dims = feeds[i]->dims();
    for (int k = 0; k < shape.rank(); ++k)
      if (dims[k] != shape[k]) return false;
    if (feeds[i]->dtype == kResource && !SameHandle(HandleOf(*feeds[i]), feeds_[i].handle)) return false;
  }
  return true;
}

void PlannedRun::DropFrames() {
  std::vector<std::unique_ptr<Frame>> dropped;
  std::lock_guard lock(mutex_);
  dropped.swap(idle_);
}

std::unique_ptr<Frame> PlannedRun::Take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto frame = std::move(idle_.back());
      idle_.pop_back();
      return frame;
    }
  }
  return Frame::Make(*plan_);
}

void PlannedRun::Give(std::unique_ptr<Frame> frame) {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(frame));
}

absl::StatusOr<std::shared_ptr<Executable>> Executable::Make(const GraphState& state, const RunSignature& signature,
                                                             const SessionOptions& options, bool log) {
  std::shared_ptr<Executable> made(new Executable);
  {
    std::shared_lock lock(state.mutex);
    RETURN_IF_ERROR(made->Extract(state, signature));
  }
  RETURN_IF_ERROR(PlaceNodes(made->graph_, options));
  OptimizeOptions passes{options.level, options.disable, options.enable, options.max_passes, options.max_rewrites};
  RETURN_IF_ERROR(Optimize(made->graph_, made->roots_, passes, log ? &made->log_ : nullptr));
  ASSIGN_OR_RETURN(made->order_, made->graph_.TopologicalOrder());
  return made;
}

absl::StatusOr<std::shared_ptr<Executable>> Executable::MakeFunction(const GraphFunction& function, const SessionOptions& options,
                                                                     bool owns_feeds, EventLog* log) {
  std::shared_ptr<Executable> made(new Executable);
  made->is_function_ = true;
  made->owns_feeds_ = owns_feeds;
  made->graph_ = function.body;
  made->nodes_before_ = function.body.size();
  made->roots_ = {function.args, function.results, function.control_results};
  for (size_t i = 0; i < function.args.size(); ++i) made->feed_positions_.push_back(static_cast<int32_t>(i));
  OptimizeOptions passes{options.level, options.disable, options.enable, options.max_passes, options.max_rewrites};
  RETURN_IF_ERROR(Optimize(made->graph_, made->roots_, passes, log));
  ASSIGN_OR_RETURN(made->order_, made->graph_.TopologicalOrder());
  return made;
}

void Executable::DropFrames() {
  std::shared_lock lock(mutex_);
  for (const auto& planned : plans_) planned->DropFrames();
}

// Walks backwards from fetches and targets, not past fed tensors, and copies what it meets; a fed tensor becomes a
// Placeholder of its own.
absl::Status Executable::Extract(const GraphState& state, const RunSignature& signature) {
  const NodeGraph& from = state.nodes;
  absl::flat_hash_map<TensorId, int32_t> fed;  // to the position in the signature
  for (size_t i = 0; i < signature.feeds.size(); ++i) {
    const TensorId t = signature.feeds[i];
    const Node& node = from.node(t.node);
    const bool placeholder = node.op == Op<"Placeholder">();
    if (!fed.emplace(t, static_cast<int32_t>(i)).second) return InvalidArgument("Run: \"", from.TensorName(t), "\" is fed twice");
    feeds_.push_back({from.TensorName(t), node.outputs[t.output].dtype, placeholder ? node.outputs[0].shape : Shape::Unknown()});
    if (placeholder && t.output == 0) feeds_.back().name = std::string(node.name);
  }

  absl::flat_hash_map<int32_t, int32_t> copy_of;  // node in the graph -> node here
  absl::flat_hash_map<int32_t, int32_t> feed_of;  // position in the signature -> node here
  std::vector<int32_t> found, stack;
  const auto visit = [&](int32_t id) {
    if (copy_of.emplace(id, -1).second) stack.push_back(id);
  };
  const auto visit_tensor = [&](TensorId t) {
    if (const auto it = fed.find(t); it != fed.end()) feed_of.emplace(it->second, -1);
    else visit(t.node);
  };
  for (TensorId t : signature.fetches) visit_tensor(t);
  for (int32_t id : signature.targets) visit(id);
  while (!stack.empty()) {
    const int32_t id = stack.back();
    stack.pop_back();
    found.push_back(id);
    for (TensorId t : from.node(id).inputs) visit_tensor(t);
    for (int32_t c : from.node(id).controls) visit(c);
  }
  // In the order of the graph: node ids, and with them everything derived, do not depend on how the walk went.
  std::sort(found.begin(), found.end());
  graph_ = from.EmptyCopy();
  graph_.Reserve(static_cast<int32_t>(found.size() + feed_of.size()));

  bool reshaped = false;  // a fed tensor that is no placeholder may have any shape: what reads it is inferred anew
  std::vector<int32_t> positions;
  for (const auto& [position, node] : feed_of) positions.push_back(position);
  std::sort(positions.begin(), positions.end());
  for (int32_t position : positions) {
    const TensorId t = signature.feeds[position];
    const Node& node = from.node(t.node);
    const bool placeholder = node.op == Op<"Placeholder">();
    const int32_t id = placeholder ? graph_.AddCopy(node) : graph_.Add(Op<"Placeholder">(), absl::StrCat(from.TensorName(t), "/feed"));
    if (!placeholder) {
      Node& feed = graph_.node(id);
      feed.attrs = {AttrValue(AttrRef(node.outputs[t.output].dtype)), AttrValue(AttrRef(Shape::Unknown()))};
      feed.outputs = {{node.outputs[t.output].dtype, Shape::Unknown()}};
      reshaped = true;
    }
    graph_.node(id).controls.clear();
    feed_of[position] = id;
    roots_.feeds.push_back(id);
    feed_positions_.push_back(position);
  }
  for (int32_t id : found) {
    const Node& node = from.node(id);
    if (node.op == Op<"Placeholder">())
      return InvalidArgument("Run: placeholder \"", Absl(node.name), "\" (", Absl(DTypeName(node.outputs[0].dtype)), node.outputs[0].shape.ToString(),
                             ") must be fed");
    copy_of[id] = graph_.AddCopy(node);
  }
  nodes_before_ = graph_.size();
  const auto renamed = [&](TensorId t) -> TensorId {
    if (const auto it = fed.find(t); it != fed.end()) return {feed_of[it->second], 0};
    return {copy_of[t.node], t.output};
  };
  for (int32_t id : found) {
    Node& node = graph_.node(copy_of[id]);
    for (TensorId& t : node.inputs) t = renamed(t);
    for (int32_t& c : node.controls) c = copy_of[c];
  }
  for (TensorId t : signature.fetches) roots_.fetches.push_back(renamed(t));
  for (int32_t id : signature.targets) roots_.targets.push_back(copy_of[id]);
  if (reshaped) {
    ASSIGN_OR_RETURN(const std::vector<int32_t> order, graph_.TopologicalOrder());
    for (int32_t id : order)
      if (graph_.node(id).op != Op<"Placeholder">()) RETURN_IF_ERROR(graph_.InferNode(id));
  }
  return absl::OkStatus();
}

absl::Status Executable::CheckFeeds(std::span<TensorRep* const> feeds) const {
  for (size_t i = 0; i < feeds.size(); ++i) {
    const FedTensor& want = feeds_[i];
    const TensorRep& rep = *feeds[i];
    if (rep.dtype != want.dtype)
      return InvalidArgument("Run: \"", want.name, "\" is fed ", Absl(DTypeName(rep.dtype)), ", it is ", Absl(DTypeName(want.dtype)));
    if (!want.shape.known_rank()) continue;
    bool fits = rep.rank == want.shape.rank();
    for (int k = 0; fits && k < rep.rank; ++k) fits = want.shape[k] < 0 || want.shape[k] == rep.dims()[k];
    if (!fits)
      return InvalidArgument("Run: \"", want.name, "\" is fed ", Absl(DTypeName(rep.dtype)), rep.shape().ToString(), ", its shape is ", want.shape.ToString());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<PlannedRun>> Executable::PlanFor(std::span<TensorRep* const> feeds, PlanEnv& env, bool* made) {
  *made = false;
  {
    std::shared_lock lock(mutex_);
    for (const auto& planned : plans_)
      if (planned->Fits(feeds)) return planned;
  }
  size_t plans;
  {
    std::shared_lock lock(mutex_);
    plans = plans_.size();
  }
  std::vector<FeedInfo> infos;
  for (const TensorRep* rep : feeds)
    infos.push_back({is_function_ && plans >= kMaxFunctionPlans ? Shape::Unknown() : rep->shape(), HandleOf(*rep)});
  ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, MakePlan(graph_, order_, roots_, infos, owns_feeds_, env));
  auto planned = std::make_shared<PlannedRun>(std::move(plan), std::move(infos));
  *made = true;
  std::unique_lock lock(mutex_);
  plans_.push_front(planned);
  if (plans_.size() > kMaxPlans) plans_.pop_back();
  return planned;
}

}  // namespace tandem
