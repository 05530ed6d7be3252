// Runs a plan in a frame.
//
// A Frame holds what one Run writes: the arena, a header for each buffer in it, the tensors of owned slots, prepared
// primitives. Frames are kept with their plan and used by one Run at a time: a warm Run allocates only what it returns.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/plan.h"

namespace tandem {

class Frame {
 public:
  // Null without memory for the arena.
  static std::unique_ptr<Frame> Make(const Plan& plan);
  ~Frame();

 private:
  friend class Executor;
  Frame() = default;
  std::vector<TensorRep*> reps_;   // by slot; owned slots hold a reference while they are set
  TensorRep* headers_ = nullptr;   // of arena and header slots
  int32_t num_headers_ = 0;
  void* arena_ = nullptr;
  unsigned arena_class_ = 0;
  std::vector<std::unique_ptr<KernelState>> states_;  // by step
  std::vector<TensorRep*> inputs_;                    // of the step that runs: room for the most that one has
};

// When to stop.
struct RunControl {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const Cancellation* cancellation = nullptr;
  bool checks() const { return cancellation || deadline != std::chrono::steady_clock::time_point::max(); }
  // CANCELLED or DEADLINE_EXCEEDED when it is time.
  absl::Status Check() const;
};

// What one Run is: the environment of its kernels, in functions that they call too.
class RunEnv : public KernelEnv {
 public:
  RunEnv(const RunControl& control, RunTrace* trace) : control(control), trace(trace) {}
  bool cancelled() const override { return control.checks() && !control.Check().ok(); }

  const RunControl& control;
  RunTrace* const trace;  // null: nobody asked
  const std::chrono::steady_clock::time_point begin = trace ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  int depth = 0;          // of function calls
  // Where the kernel that runs now was called: the function's own path ("" in the graph itself, else "while/body/"), and
  // its node.
  std::string_view path, node;
  bool plain_call = false;  // the node calls one function, at any rate (PartitionedCall)
};

// feeds: in the order of plan.feed_slots, borrowed or taken over as the plan was made. fetches: filled with new references.
absl::Status Execute(const NodeGraph& graph, const Plan& plan, Frame& frame, std::span<TensorRep* const> feeds,
                     std::span<TensorRep*> fetches, RunEnv& env);

}  // namespace tandem
