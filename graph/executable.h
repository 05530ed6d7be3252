// An Executable: what a Session runs for one signature (feeds, fetches, targets): the part of the graph that they need,
// optimised, with a plan for each signature of fed shapes.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "graph/executor.h"
#include "graph/graph_state.h"
#include "graph/passes/event_log.h"

namespace tandem {

// Ids in the user's graph.
struct RunSignature {
  absl::InlinedVector<TensorId, 4> feeds, fetches;
  absl::InlinedVector<int32_t, 2> targets;
  bool plain = false;  // to be run as recorded, so that every node is the user's
  friend bool operator==(const RunSignature&, const RunSignature&) = default;
  template <class H>
  friend H AbslHashValue(H h, const RunSignature& s) {
    return H::combine(std::move(h), s.feeds, s.fetches, s.targets, s.plain);
  }
};

// A plan and the frames that ran it.
class PlannedRun {
 public:
  PlannedRun(std::unique_ptr<Plan> plan, std::vector<FeedInfo> feeds) : plan_(std::move(plan)), feeds_(std::move(feeds)) {}
  const Plan& plan() const { return *plan_; }
  bool Fits(std::span<TensorRep* const> feeds) const;
  // A frame for one Run; null without memory.
  std::unique_ptr<Frame> Take();
  void Give(std::unique_ptr<Frame> frame);
  // Ends all that wait for their next Run.
  void DropFrames();

 private:
  std::unique_ptr<Plan> plan_;
  const std::vector<FeedInfo> feeds_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> idle_;
};

class Executable {
 public:
  // Copies what the signature needs, checks that every placeholder is fed, optimises. The graph's lock is held meanwhile.
  static absl::StatusOr<std::shared_ptr<Executable>> Make(const GraphState& state, const RunSignature& signature,
                                                          const SessionOptions& options, bool log);

  // The body of a function, optimised: its arguments are the feeds, in order.
  static absl::StatusOr<std::shared_ptr<Executable>> MakeFunction(const GraphFunction& function, const SessionOptions& options,
                                                                  bool owns_feeds, EventLog* log = nullptr);

  // The plan for these fed tensors, made if there is none. INVALID_ARGUMENT when a fed tensor does not fit its
  // placeholder: "Run: "q" is fed float32[50,2352], its shape is [?,784]".
  absl::StatusOr<std::shared_ptr<PlannedRun>> PlanFor(std::span<TensorRep* const> feeds, PlanEnv& env, bool* made);
  // Feeds that the fetches do not depend on have no slot: this is the feed behind each of the plan's.
  std::span<const int32_t> feed_positions() const { return feed_positions_; }
  absl::Status CheckFeeds(std::span<TensorRep* const> feeds) const;

  const NodeGraph& graph() const { return graph_; }
  const GraphRoots& roots() const { return roots_; }
  std::span<const int32_t> order() const { return order_; }
  void DropFrames();
  int nodes_before() const { return nodes_before_; }
  const EventLog& log() const { return log_; }  // empty unless asked for

 private:
  Executable() = default;
  absl::Status Extract(const GraphState& state, const RunSignature& signature);

  struct FedTensor {
    std::string name;
    DType dtype;
    Shape shape;  // what the placeholder demands; unknown for other tensors
  };
  NodeGraph graph_;
  GraphRoots roots_;
  std::vector<int32_t> order_, feed_positions_;
  std::vector<FedTensor> feeds_;  // of all feeds of the signature
  bool is_function_ = false, owns_feeds_ = false;
  int nodes_before_ = 0;
  EventLog log_;

  std::shared_mutex mutex_;
  std::deque<std::shared_ptr<PlannedRun>> plans_;  // the newest first; bounded
};

}  // namespace tandem
