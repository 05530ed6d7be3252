// How passes change a graph: a worklist's view of it with readers kept up to date, every change logged.
//
//   Rewriter rw(graph, roots, "constant folding", log);
//   rw.Begin("fold", {id});
//   const int32_t c = rw.AddConst(value, id);
//   rw.Redirect({id, 0}, {c, 0});
//   rw.End("4 bytes");
//
// Nodes that lose all readers stay until Compact drops what the roots do not need.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "graph/passes/event_log.h"
#include "graph/passes/optimizer.h"

namespace tandem {

class Rewriter {
 public:
  // log may be null. The pass name is a literal.
  // max_rewrites: events that Begin allows; -1: all.
  Rewriter(NodeGraph& graph, GraphRoots& roots, std::string_view pass, EventLog* log, int64_t max_rewrites = -1);
  int64_t rewrites() const { return rewrites_; }  // begun so far

  NodeGraph& graph() { return graph_; }
  const NodeGraph& graph() const { return graph_; }
  const Node& node(int32_t id) const { return graph_.node(id); }
  bool is_feed(int32_t id) const { return id < static_cast<int32_t>(feed_.size()) && feed_[id]; }
  bool is_target(int32_t id) const { return id < static_cast<int32_t>(target_.size()) && target_[id]; }
  bool is_fetched(TensorId t) const;

  // Calls fn for the readers of a node (control edges too) until it returns false. Readers include nodes that nothing
  // needs any more: Compact first where that matters.
  void ForEachUse(int32_t id, absl::FunctionRef<bool(const Fanout::Use&)> fn);
  // Data readers of one output, counted up to `limit`; a fetch counts as one.
  int CountReaders(TensorId t, int limit = 2);
  bool HasControlReaders(int32_t id);
  // The one node that reads this output and nothing else does: not fetched, no control edge, not a target. -1 otherwise.
  int32_t OnlyReader(TensorId t);

  // One event: what happens between Begin and End. False when this rewrite must not be made (the checker bisects a
  // difference by leaving rewrites out): the pass then goes on without it. Rules are literals.
  [[nodiscard]] bool Begin(std::string_view rule, std::span<const int32_t> replaced);
  void End(std::string reason = "", int64_t saved_bytes = 0);
  // "MatMul+Add not fused: the sum is also fetched".
  void NearMiss(std::string_view rule, std::span<const int32_t> nodes, std::string reason);
  bool logging() const { return log_ != nullptr; }

  // A node like `like` in device, origin and scope, with a fresh name made from like's and a suffix. Outputs are
  // inferred; an error leaves the graph as it was.
  absl::StatusOr<int32_t> Add(OpId op, int32_t like, std::string_view suffix, absl::InlinedVector<TensorId, 2> inputs,
                              absl::InlinedVector<AttrValue, 1> attrs);
  // The same with several origins: for fused nodes. The first is the one errors name.
  absl::StatusOr<int32_t> AddFused(OpId op, std::span<const int32_t> from, std::string_view suffix,
                                   absl::InlinedVector<TensorId, 2> inputs, absl::InlinedVector<AttrValue, 1> attrs);
  int32_t AddConst(const Tensor& value, int32_t like, std::string_view suffix);
  // A node of a function's body in place of a call: its name behind the call's, its own origin. Inputs and controls are
  // of this graph already.
  int32_t AddInlined(Node node, int32_t call);
  // From now on the node runs although nothing reads it.
  void AddTarget(int32_t id);
  // Another op or other inputs under the same id and name; outputs must keep their number and dtypes.
  absl::Status Replace(int32_t id, OpId op, absl::InlinedVector<TensorId, 2> inputs, absl::InlinedVector<AttrValue, 1> attrs);
  // Every reader of `from` reads `to` from now on, fetches too.
  void Redirect(TensorId from, TensorId to);
  // Whoever waits for `from` waits for `to`; `to` waits for what `from` waited for.
  void MoveControls(int32_t from, int32_t to);

  // Drops what roots do not need and renumbers. Ids from before are void.
  void Compact();

  // Work to do: ids that a change touched, in the order it did. Each id waits at most once.
  void Push(int32_t id);
  bool Pop(int32_t* id);

 private:
  void AddEvent(std::string_view rule, std::span<const int32_t> replaced);
  void AddUses(int32_t id);
  void BuildUses();  // where they are not there yet: a pass that never asks for readers does not pay for them
  int32_t Append(Node node);
  std::string FreshName(std::string_view base, std::string_view suffix);
  void Record(Edit edit);
  void MarkRoots();

  NodeGraph& graph_;
  GraphRoots& roots_;
  std::string_view pass_;
  EventLog* log_;
  std::vector<absl::InlinedVector<Fanout::Use, 2>> uses_;  // may hold stale entries: checked when read
  bool has_uses_ = false;
  std::vector<bool> feed_, target_, queued_;
  std::vector<int32_t> queue_;
  size_t queue_front_ = 0;
  absl::flat_hash_set<TensorId> fetched_;
  absl::flat_hash_set<std::string> names_;                  // made by this pass or taken; filled at the first fresh name
  int64_t name_counter_ = 0;
  int64_t rewrites_ = 0, max_rewrites_ = -1;
};

}  // namespace tandem
