// A plan: the steps that run one optimised graph for one signature of fed shapes.
//
// Every output of a node is a slot. Where shapes are known, a slot's buffer has an offset in the frame's arena and its
// kernel is found; a node whose output shape depends on values runs inference again right before its kernel. What a Run
// writes lies in a Frame: plans themselves never change once made, so that concurrent Runs share them.
#pragma once
#include <memory>
#include <vector>

#include "core/device_registry.h"
#include "core/kernel.h"
#include "graph/node_graph.h"
#include "graph/passes/optimizer.h"

namespace tandem {

enum class SlotKind : uint8_t {
  kConstant,  // a tensor the plan holds: constants, resource handles, what shapes alone decide
  kFeed,      // set by the Run
  kArena,     // at an offset in the frame's arena
  kHeader,    // a view header in the frame over another slot's data
  kOwned,     // allocated in the Run (fetched, of unknown shape, set by the kernel), released after its last reader
};

struct Slot {
  SlotKind kind = SlotKind::kOwned;
  DType dtype = DType::kInvalid;
  Shape shape = Shape::Unknown();
  int64_t count = -1;   // -1: not known before the Run
  int64_t offset = -1;  // kArena
  int32_t root = -1;    // whose buffer this slot's elements lie in: itself, or a view's base
  Tensor constant;      // kConstant
  Device* place = nullptr;  // where the elements lie; null: the host
};

enum class StepKind : uint8_t {
  kDense,    // dense(a, b, output, n); a unary function reads a alone
  kKernel,   // a kernel; shapes known
  kView,     // points a header at its base's data, or makes a view of an owned base
  kDynamic,  // infers on the concrete inputs, allocates, runs the kernel
  kDevice,   // the same on a device, by its row
  kCopy,     // the input, where the output's slot lies
};

struct Step {
  StepKind kind;
  bool heavy = false;         // long enough to look at the clock before it
  bool calls = false;         // runs functions of the library
  int32_t node = 0;
  int32_t first_input = 0;    // into Plan::input_slots
  int32_t num_inputs = 0;
  int32_t first_output = 0;   // slot
  int32_t num_outputs = 0;
  int32_t first_release = 0;  // into Plan::releases
  int32_t num_releases = 0;
  DenseFn dense = nullptr;
  int64_t n = 0;
  KernelFn kernel = nullptr;
  Device* device = nullptr;                  // kDevice
  const TandemKernelRow* row = nullptr;      // kDevice
  uint64_t dying = 0;         // bit i: nobody reads input i after this step, and the frame's is the plan's only reference
};

// What a step's call needs beside slots.
struct StepCall {
  const OpSchema* schema;
  absl::InlinedVector<AttrRef, 2> attrs;  // borrowed from the graph's node
  CallSignature signature;
  StateSlot* state = nullptr;             // of stateful nodes; lives in the Session
};

struct Plan {
  std::vector<Slot> slots;
  std::vector<int32_t> first_slot;        // by node
  std::vector<Step> steps;
  std::vector<StepCall> calls;            // by step
  std::vector<int32_t> input_slots, releases;
  std::vector<int32_t> feed_slots, fetch_slots;  // in the order of the roots
  std::vector<int32_t> owned_slots;       // what a frame must drop when a Run fails half way
  int64_t arena_bytes = 0;
  bool heavy = false;                     // some step is worth several threads
};

// What a fed tensor is known to be when a plan is made for it.
struct FeedInfo {
  Shape shape = Shape::Unknown();  // unknown parts are found out in each Run
  HandleInfo handle = {};          // of a resource
};

// What an error calls a node: one that a pass made goes by what the user wrote.
std::string_view UserName(const Node& node);

// What planning asks of the Session.
class PlanEnv {
 public:
  virtual ~PlanEnv() = default;
  // The state of a stateful node, by name; the same for every plan.
  virtual StateSlot* NodeState(std::string_view node) = 0;  // of the graph, or function, that is planned
  virtual KernelEnv& kernel_env() = 0;
};

// graph outlives the plan. feeds in the order of roots.feeds; order is topological. owns_feeds: a Run takes over the
// references that it is fed, lets go of them after their last reader and may write what nobody else refers to.
absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const NodeGraph& graph, std::span<const int32_t> order, const GraphRoots& roots,
                                               std::span<const FeedInfo> feeds, bool owns_feeds, PlanEnv& env);

}  // namespace tandem
