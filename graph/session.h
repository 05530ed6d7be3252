// Session: runs a graph, optimised, with state of its own.
//
//   Session session(graph);
//   Tensor y = session.Run({{"x:0", images}}, "logits:0");
//   Tensors two = session.Run({{x, images}}, {y, "loss:0"}, {"train"});       // targets run, nothing is fetched for them
//   Callable step = session.MakeCallable({"x:0"}, {"logits:0"});              // names are looked up once
//   step({images});
//
// Any tensor may be fed or fetched; a fed tensor hides what computes it. A tensor has one value per Run. Reads and writes
// of a variable in one Run are ordered by control edges only. Variables that the graph does not share with eager code
// live in the Session and die with it: a handle that outlives it is FAILED_PRECONDITION.
//
// Threads: everything may be called from any number of threads at once, also from a host function inside a Run.
#pragma once
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// How much a Session rewrites before it runs (docs/architecture.md). Results are the same bits at every level.
enum class OptLevel { kO0, kO1, kO2, kO3 };

struct SessionOptions {
  OptLevel level = OptLevel::kO2;
  std::vector<std::string> disable;  // passes by name, as `tandem optimize --explain` prints them
  std::vector<std::string> enable;   // passes that no level has: "fast-math", "fast-epilogues"
  int threads = 0;                   // for one Run; 0 = all cores, shared by concurrent Runs
  int max_passes = -1;               // only the first so many of the level's passes (`tandem check`); -1: all
  int64_t max_rewrites = -1;         // of the last of those; -1: all
  // Where a node's device is missing or lacks the kernel (core/device.h), the CPU runs it; false: an error.
  bool allow_soft_placement = true;
  bool log_device_placement = false;  // each node and its device, when a signature is first run
};

// A tensor or op by name, or a symbolic tensor.
class TensorName {
 public:
  TensorName(const char* name) : text_(name) {}
  TensorName(std::string name) : text_(std::move(name)) {}
  TensorName(const Tensor& symbolic) : tensor_(symbolic) {}
  const std::string& text() const { return text_; }
  const Tensor& tensor() const { return tensor_; }  // undefined when named by text

 private:
  std::string text_;
  Tensor tensor_;
};
template <class T>
concept NameLike = std::convertible_to<const T&, std::string_view> || std::same_as<T, Tensor>;

struct Feed {
  TensorName name;
  Tensor value;
};

// Asks a Run to stop; may be called from any thread. The Run returns CANCELLED soon after.
class Cancellation {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_ = false;
};

// What one Run did, node by node.
struct RunTrace {
  struct Event {
    std::string node, op;
    std::string inputs;       // "a:0, b:0"
    int64_t start_ns = 0;     // since the Run began
    int64_t duration_ns = 0;
    int64_t output_bytes = 0;
    std::vector<std::string> outputs;  // "float32[2,3]"
  };
  int64_t wall_start_us = 0;  // since the epoch
  int64_t plan_ns = 0;        // spent on optimising and planning in this Run; 0 when cached
  std::vector<Event> events;
  // For chrome://tracing and ui.perfetto.dev.
  std::string ToChromeTrace() const;
  // A serialized RunMetadata with its step_stats.
  std::string ToRunMetadata() const;
};

struct RunOptions {
  std::optional<std::chrono::nanoseconds> timeout;  // DEADLINE_EXCEEDED after it
  const Cancellation* cancellation = nullptr;       // outlives the Run
  RunTrace* trace = nullptr;                        // filled when given
};

// The placeholders that a Run of these fetches and targets must be fed, in the order they were made.
std::vector<TensorName> RequiredFeeds(const Graph& graph, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets = {});

struct SessionStatistics {
  int64_t executables = 0;  // signatures optimised so far
  int64_t plans = 0;        // plans made so far, one for each signature of fed shapes
  int64_t runs = 0;
};

struct ExecutableInfo {
  int nodes_before = 0, nodes_after = 0;
  std::string report;        // what was rewritten and what nearly was
  std::string report_json;   // the same as a JSON array of events
  std::string last_rewrite;  // the last one made, a line
  Graph graph;               // the optimised graph, for looking at and saving
};

class SessionState;
struct CallableState;

// A Run whose names were looked up. Copies share it; valid while its Session is.
class Callable {
 public:
  Callable() = default;
  // feeds in the order of MakeCallable's names.
  Tensors operator()(const Tensors& feeds, const RunOptions& options = {}) const;
  // Into tensors of the caller: a warm call makes no heap allocation.
  void Run(std::span<const Tensor> feeds, std::span<Tensor> fetches, const RunOptions& options = {}) const;

 private:
  friend class Session;
  std::shared_ptr<CallableState> state_;
};

class Session {
 public:
  explicit Session(const Graph& graph, SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  template <NameLike F>
  Tensor Run(std::initializer_list<Feed> feeds, const F& fetch) {
    return RunAll({feeds.begin(), feeds.size()}, {TensorName(fetch)}, {}, {})[0];
  }
  Tensors Run(std::initializer_list<Feed> feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets = {},
              const RunOptions& options = {}) {
    return RunAll({feeds.begin(), feeds.size()}, fetches, targets, options);
  }
  Tensors RunAll(std::span<const Feed> feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets,
                 const RunOptions& options);

  Callable MakeCallable(const std::vector<TensorName>& feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets = {});

  // What a Run with these feeds, fetches and targets would execute.
  ExecutableInfo Explain(const std::vector<TensorName>& feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets = {});
  SessionStatistics statistics() const;

 private:
  std::shared_ptr<SessionState> state_;
};

}  // namespace tandem
TANDEM_EXPORT_END
