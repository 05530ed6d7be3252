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
};

// When to stop.
struct RunControl {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const Cancellation* cancellation = nullptr;
  bool checks() const { return cancellation || deadline != std::chrono::steady_clock::time_point::max(); }
  // CANCELLED or DEADLINE_EXCEEDED when it is time.
  absl::Status Check() const;
};

// feeds: borrowed, in the order of plan.feed_slots. fetches: filled with new references.
absl::Status Execute(const NodeGraph& graph, const Plan& plan, Frame& frame, std::span<TensorRep* const> feeds,
                     std::span<TensorRep*> fetches, KernelEnv& env, const RunControl& control, RunTrace* trace);

}  // namespace tandem
