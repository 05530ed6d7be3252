#include "graph/passes/rewriter.h"

#include <algorithm>

namespace tandem {

Rewriter::Rewriter(NodeGraph& graph, GraphRoots& roots, std::string_view pass, EventLog* log, int64_t max_rewrites)
    : graph_(graph), roots_(roots), pass_(pass), log_(log), max_rewrites_(max_rewrites) {
  queued_.resize(graph.size(), false);
  MarkRoots();
}

void Rewriter::MarkRoots() {
  feed_.assign(graph_.size(), false);
  target_.assign(graph_.size(), false);
  fetched_.clear();
  for (int32_t id : roots_.feeds) feed_[id] = true;
  for (int32_t id : roots_.targets) target_[id] = true;
  for (TensorId t : roots_.fetches) fetched_.insert(t);
}

void Rewriter::BuildUses() {
  if (has_uses_) return;
  has_uses_ = true;
  uses_.assign(graph_.size(), {});
  for (int32_t id = 0; id < graph_.size(); ++id) AddUses(id);
}

void Rewriter::AddUses(int32_t id) {
  if (!has_uses_) return;
  const Node& node = graph_.node(id);
  for (size_t i = 0; i < node.inputs.size(); ++i)
    uses_[node.inputs[i].node].push_back({id, static_cast<int32_t>(i), node.inputs[i].output});
  for (int32_t c : node.controls) uses_[c].push_back({id, -1, -1});
}

bool Rewriter::is_fetched(TensorId t) const { return fetched_.contains(t); }

void Rewriter::ForEachUse(int32_t id, absl::FunctionRef<bool(const Fanout::Use&)> fn) {
  BuildUses();
  auto& uses = uses_[id];
  // fn may add uses elsewhere, and so may move this vector's elements: index, and copy the entry.
  for (size_t i = 0; i < uses_[id].size();) {
    const Fanout::Use use = uses_[id][i];
    const Node& reader = graph_.node(use.node);
    const bool live = use.input >= 0
                          ? static_cast<size_t>(use.input) < reader.inputs.size() && reader.inputs[use.input] == TensorId{id, use.output}
                          : std::find(reader.controls.begin(), reader.controls.end(), id) != reader.controls.end();
    if (!live) {
      uses[i] = uses.back();
      uses.pop_back();
      continue;
    }
    if (!fn(use)) return;
    ++i;
  }
}

int Rewriter::CountReaders(TensorId t, int limit) {
  int count = is_fetched(t) ? 1 : 0;
  if (count >= limit) return count;
  ForEachUse(t.node, [&](const Fanout::Use& use) {
    count += use.output == t.output;
    return count < limit;
  });
  return count;
}

bool Rewriter::HasControlReaders(int32_t id) {
  bool found = false;
  ForEachUse(id, [&](const Fanout::Use& use) {
    found = use.input < 0;
    return !found;
  });
  return found;
}

int32_t Rewriter::OnlyReader(TensorId t) {
  if (is_fetched(t) || is_target(t.node)) return -1;
  int32_t reader = -1;
  ForEachUse(t.node, [&](const Fanout::Use& use) {
    if (use.input >= 0 && use.output != t.output) return true;
    if (use.input < 0 || (reader >= 0 && reader != use.node)) {
      reader = -2;
      return false;
    }
    reader = use.node;
    return true;
  });
  return reader < 0 ? -1 : reader;
}

bool Rewriter::Begin(std::string_view rule, std::span<const int32_t> replaced) {
  if (max_rewrites_ >= 0 && rewrites_ >= max_rewrites_) return false;
  ++rewrites_;
  if (log_) AddEvent(rule, replaced);
  return true;
}

void Rewriter::AddEvent(std::string_view rule, std::span<const int32_t> replaced) {
  Event& event = log_->events.emplace_back();
  event.pass = pass_;
  event.rule = rule;
  for (int32_t id : replaced) event.before.emplace_back(graph_.node(id).name);
}

void Rewriter::End(std::string reason, int64_t saved_bytes) {
  if (!log_) return;
  log_->events.back().reason = std::move(reason);
  log_->events.back().saved_bytes = saved_bytes;
}

void Rewriter::NearMiss(std::string_view rule, std::span<const int32_t> nodes, std::string reason) {
  if (!log_) return;
  AddEvent(rule, nodes);
  log_->events.back().near_miss = true;
  log_->events.back().reason = std::move(reason);
}

void Rewriter::Record(Edit edit) {
  if (!log_) return;
  if (log_->events.empty() || log_->events.back().near_miss || log_->events.back().pass != pass_) {
    log_->events.emplace_back().pass = pass_;
    log_->events.back().rule = "clean up";
  }
  log_->events.back().edits.push_back(std::move(edit));
}

std::string Rewriter::FreshName(std::string_view base, std::string_view suffix) {
  if (names_.empty())
    for (const Node& node : graph_.nodes()) names_.emplace(node.name);
  std::string name = absl::StrCat(std::string(base), "/", std::string(suffix));
  while (!names_.insert(name).second) name = absl::StrCat(std::string(base), "/", std::string(suffix), "_", ++name_counter_);
  return name;
}

int32_t Rewriter::Append(Node node) {
  Edit edit{Edit::Kind::kAdd};
  if (log_) edit.node = node;
  const int32_t id = graph_.AddCopy(node);
  if (has_uses_) uses_.emplace_back();
  queued_.push_back(false);
  feed_.push_back(false);
  target_.push_back(false);
  AddUses(id);
  if (log_) {
    Record(std::move(edit));
    log_->events.back().after.emplace_back(graph_.node(id).name);
  }
  return id;
}

absl::StatusOr<int32_t> Rewriter::AddFused(OpId op, std::span<const int32_t> from, std::string_view suffix,
                                           absl::InlinedVector<TensorId, 2> inputs, absl::InlinedVector<AttrValue, 1> attrs) {
  const int32_t like = from.front();
  Node made;
  made.op = op;
  made.inputs = std::move(inputs);
  made.attrs = std::move(attrs);
  made.origin = graph_.node(like).origin;
  auto extra = std::make_shared<NodeExtra>();
  extra->device = graph_.node(like).device();
  for (int32_t id : from) {
    const Node& node = graph_.node(id);
    if (node.extra && !node.extra->sources.empty()) extra->sources.insert(extra->sources.end(), node.extra->sources.begin(), node.extra->sources.end());
    else extra->sources.emplace_back(node.name);
    if (node.extra && !node.extra->forward.empty()) extra->forward.insert(extra->forward.end(), node.extra->forward.begin(), node.extra->forward.end());
    else if (node.origin) extra->forward.push_back(node.origin);
  }
  made.extra = std::move(extra);
  made.name = graph_.AddName(FreshName(graph_.node(like).name, suffix));
  RETURN_IF_ERROR(graph_.Infer(made));
  return Append(std::move(made));
}

absl::StatusOr<int32_t> Rewriter::Add(OpId op, int32_t like, std::string_view suffix, absl::InlinedVector<TensorId, 2> inputs,
                                      absl::InlinedVector<AttrValue, 1> attrs) {
  return AddFused(op, {&like, 1}, suffix, std::move(inputs), std::move(attrs));
}

int32_t Rewriter::AddInlined(Node node, int32_t call) {
  if (node.device().empty() && !graph_.node(call).device().empty()) {
    auto extra = node.extra ? std::make_shared<NodeExtra>(*node.extra) : std::make_shared<NodeExtra>();
    extra->device = graph_.node(call).device();
    node.extra = std::move(extra);
  }
  node.name = graph_.AddName(FreshName(graph_.node(call).name, node.name));
  // The call's arguments may be known better than where the body was read; an error stays the run's.
  if (!node.inputs.empty()) graph_.Infer(node).IgnoreError();
  return Append(std::move(node));
}

void Rewriter::AddTarget(int32_t id) {
  if (target_[id]) return;
  target_[id] = true;
  roots_.targets.push_back(id);
  Record({Edit::Kind::kTarget, {id, 0}});
}

int32_t Rewriter::AddConst(const Tensor& value, int32_t like, std::string_view suffix) {
  Node made;
  made.op = Op<"Const">();
  made.attrs = graph_.ConstAttrs(value);
  made.origin = graph_.node(like).origin;
  made.outputs = {{value.dtype(), value.shape()}};
  auto extra = std::make_shared<NodeExtra>();
  extra->device = graph_.node(like).device();
  extra->sources = {std::string(graph_.node(like).name)};
  made.extra = std::move(extra);
  made.name = graph_.AddName(FreshName(graph_.node(like).name, suffix));
  return Append(std::move(made));
}

absl::Status Rewriter::Replace(int32_t id, OpId op, absl::InlinedVector<TensorId, 2> inputs, absl::InlinedVector<AttrValue, 1> attrs) {
  Node made = graph_.node(id);
  made.op = op;
  made.inputs = std::move(inputs);
  made.attrs = std::move(attrs);
  RETURN_IF_ERROR(graph_.Infer(made));
  Edit edit{Edit::Kind::kReplace, {id, 0}};
  if (log_) edit.node = made;
  graph_.node(id) = std::move(made);
  AddUses(id);  // control uses are there already, as duplicates that do no harm
  if (log_) Record(std::move(edit));
  return absl::OkStatus();
}

void Rewriter::Redirect(TensorId from, TensorId to) {
  BuildUses();
  auto uses = std::move(uses_[from.node]);
  uses_[from.node].clear();
  for (const Fanout::Use& use : uses) {
    if (use.input >= 0 && use.output == from.output) {
      Node& reader = graph_.node(use.node);
      if (static_cast<size_t>(use.input) >= reader.inputs.size() || reader.inputs[use.input] != from) continue;  // stale
      reader.inputs[use.input] = to;
      uses_[to.node].push_back({use.node, use.input, to.output});
    } else {
      uses_[from.node].push_back(use);
    }
  }
  if (fetched_.erase(from)) {
    fetched_.insert(to);
    for (TensorId& t : roots_.fetches)
      if (t == from) t = to;
  }
  Record({Edit::Kind::kRedirect, from, to});
}

void Rewriter::MoveControls(int32_t from, int32_t to) {
  BuildUses();
  auto uses = std::move(uses_[from]);
  uses_[from].clear();
  for (const Fanout::Use& use : uses) {
    if (use.input >= 0) {
      uses_[from].push_back(use);
      continue;
    }
    Node& reader = graph_.node(use.node);
    const auto at = std::find(reader.controls.begin(), reader.controls.end(), from);
    if (at == reader.controls.end()) continue;  // stale
    if (use.node == to || std::find(reader.controls.begin(), reader.controls.end(), to) != reader.controls.end()) {
      reader.controls.erase(at);
    } else {
      *at = to;
      uses_[to].push_back({use.node, -1, -1});
    }
  }
  for (int32_t c : graph_.node(from).controls) {
    Node& target = graph_.node(to);
    if (c == to || std::find(target.controls.begin(), target.controls.end(), c) != target.controls.end()) continue;
    target.controls.push_back(c);
    uses_[c].push_back({to, -1, -1});
  }
  if (target_[from]) {
    target_[from] = false;
    target_[to] = true;
    for (int32_t& t : roots_.targets)
      if (t == from) t = to;
  }
  Record({Edit::Kind::kMoveControls, {from, 0}, {to, 0}});
}

void Rewriter::Compact() {
  std::vector<int32_t> keep = PruneMap(graph_, roots_);
  if (std::find(keep.begin(), keep.end(), -1) == keep.end()) return;
  ApplyPruneMap(graph_, roots_, keep);
  Edit edit{Edit::Kind::kCompact};
  if (log_) {
    edit.keep = std::move(keep);
    Record(std::move(edit));
  }
  has_uses_ = false;
  queued_.assign(graph_.size(), false);
  queue_.clear();
  queue_front_ = 0;
  MarkRoots();
}

void Rewriter::Push(int32_t id) {
  if (queued_[id]) return;
  queued_[id] = true;
  queue_.push_back(id);
}

bool Rewriter::Pop(int32_t* id) {
  if (queue_front_ == queue_.size()) return false;
  *id = queue_[queue_front_++];
  queued_[*id] = false;
  return true;
}

}  // namespace tandem
