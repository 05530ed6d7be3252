#include "graph/session.h"

#include <algorithm>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "core/device_memory.h"
#include "core/nan_hook.h"
#include "core/parallel.h"
#include "core/variable_storage.h"
#include "graph/session_functions.h"

namespace tandem {
namespace {

// Signatures differ when a program builds new nodes in a loop: the oldest then goes.
constexpr size_t kMaxExecutables = 256;

}  // namespace

class SessionState : public KernelEnv, public PlanEnv, public std::enable_shared_from_this<SessionState> {
 public:
  SessionState(RefPtr<GraphState> graph, SessionOptions options)
      : graph_(std::move(graph)), options_(std::move(options)), functions_(*graph_->library, options_, *this) {}

  ResourceManager& resources() override { return resources_; }
  absl::Status CallHostFunction(std::string_view token, std::span<const Tensor> inputs, Tensors* outputs) override {
    const auto function = ResolveHostFunction(token, [&](std::string_view name) {
      std::shared_lock lock(graph_->mutex);
      const auto it = graph_->host_functions.find(name);
      return it != graph_->host_functions.end() ? it->second : FindHostFunction(name);
    });
    return function ? RunHostFunction(*function, token, inputs, outputs) : RunHostFunction(token, inputs, outputs);
  }
  StateSlot* NodeState(std::string_view node) override {
    std::lock_guard lock(states_mutex_);
    return &states_[std::string(node)];
  }
  KernelEnv& kernel_env() override { return *this; }

  // One lock for all names of a Run. feed(i): the name of feed i.
  template <class FeedName>
  absl::Status ResolveAll(size_t num_feeds, FeedName feed, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets,
                          RunSignature* s) const {
    s->plain = NanHook::Active() != nullptr;
    std::shared_lock lock(graph_->mutex);
    const auto resolve = [&](const TensorName& name, std::string_view what) {
      return name.tensor().defined() ? graph_->IdOf(name.tensor(), what) : graph_->FindTensor(name.text());
    };
    for (size_t i = 0; i < num_feeds; ++i) {
      ASSIGN_OR_RETURN(TensorId t, resolve(feed(i), "feed"));
      s->feeds.push_back(t);
    }
    for (const TensorName& n : fetches) {
      ASSIGN_OR_RETURN(TensorId t, resolve(n, "fetch"));
      s->fetches.push_back(t);
    }
    for (const TensorName& n : targets) {
      if (n.tensor().defined()) {
        ASSIGN_OR_RETURN(TensorId t, graph_->IdOf(n.tensor(), "target"));
        s->targets.push_back(t.node);
      } else {
        ASSIGN_OR_RETURN(int32_t id, graph_->FindNode(n.text()));
        s->targets.push_back(id);
      }
    }
    return absl::OkStatus();
  }
  absl::Status ResolveAll(std::span<const TensorName> feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets,
                          RunSignature* s) const {
    return ResolveAll(feeds.size(), [&](size_t i) -> const TensorName& { return feeds[i]; }, fetches, targets, s);
  }

  absl::StatusOr<std::shared_ptr<Executable>> Find(const RunSignature& signature) {
    {
      std::shared_lock lock(mutex_);
      if (const auto it = executables_.find(signature); it != executables_.end()) return it->second;
    }
    SessionOptions options = options_;
    if (signature.plain) options.level = OptLevel::kO0;
    ASSIGN_OR_RETURN(std::shared_ptr<Executable> made, Executable::Make(*graph_, signature, options, false));
    made_executables_.fetch_add(1, std::memory_order_relaxed);
    std::unique_lock lock(mutex_);
    const auto [it, added] = executables_.emplace(signature, made);
    if (added) {
      ages_.push_back(signature);
      if (ages_.size() > kMaxExecutables) {
        executables_.erase(ages_.front());
        ages_.pop_front();
      }
      return made;
    }
    return it->second;
  }

  // feeds in the order of the signature's.
  absl::Status Run(Executable& executable, std::span<TensorRep* const> feeds, std::span<TensorRep*> fetches, const RunOptions& options) {
    for (TensorRep* rep : feeds)
      if (!rep || rep->symbolic()) return InvalidArgument("Run: a feed must be a tensor with a value");
    RETURN_IF_ERROR(executable.CheckFeeds(feeds));
    absl::InlinedVector<TensorRep*, 8> used;
    Tensors copies;  // of feeds that lie on a device: plans start on the host
    for (int32_t position : executable.feed_positions()) {
      used.push_back(feeds[position]);
      if (used.back()->on_host()) [[likely]] continue;
      ASSIGN_OR_RETURN(Tensor copy, ToHost(Tensor::Share(feeds[position])));
      copies.push_back(std::move(copy));
      used.back() = copies.back().rep();
    }
    const auto begin = options.trace ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    RunControl control;
    control.cancellation = options.cancellation;
    if (options.timeout) control.deadline = std::chrono::steady_clock::now() + *options.timeout;
    if (options.trace) {
      options.trace->events.clear();
      options.trace->wall_start_us =
          std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    }
    bool made;
    ASSIGN_OR_RETURN(std::shared_ptr<PlannedRun> planned, executable.PlanFor(used, *this, &made));
    if (made) made_plans_.fetch_add(1, std::memory_order_relaxed);
    if (options.trace)
      options.trace->plan_ns = made ? std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count() : 0;
    std::unique_ptr<Frame> frame = planned->Take();
    if (!frame) return absl::ResourceExhaustedError(absl::StrCat("Run: no memory for an arena of ", planned->plan().arena_bytes, " bytes"));
    runs_.fetch_add(1, std::memory_order_relaxed);
    SessionRun run(functions_, *this, control, options.trace);
    absl::Status status;
    if (planned->plan().heavy) {
      // Cores are shared by the Runs that are active now.
      const int active = active_.fetch_add(1, std::memory_order_relaxed) + 1;
      const int all = options_.threads > 0 ? options_.threads : NumThreads();
      ThreadBudget budget(std::max(all / active, 1));
      status = Execute(executable.graph(), planned->plan(), *frame, used, fetches, run);
      active_.fetch_sub(1, std::memory_order_relaxed);
    } else {
      status = Execute(executable.graph(), planned->plan(), *frame, used, fetches, run);
    }
    planned->Give(std::move(frame));
    return status;
  }

  absl::Status CheckAlive() const {
    if (ended_.load(std::memory_order_acquire)) return absl::FailedPreconditionError("Run: the Session has ended");
    return absl::OkStatus();
  }
  void End() {
    ended_.store(true, std::memory_order_release);
    resources_.Clear();
    functions_.DropFrames();
  }
  SessionStatistics statistics() const { return {made_executables_.load(), made_plans_.load(), runs_.load()}; }
  const GraphState& graph() const { return *graph_; }
  const SessionOptions& options() const { return options_; }

 private:
  const RefPtr<GraphState> graph_;
  const SessionOptions options_;
  ResourceManager resources_;
  std::shared_mutex mutex_;
  absl::flat_hash_map<RunSignature, std::shared_ptr<Executable>> executables_;
  std::deque<RunSignature> ages_;
  std::mutex states_mutex_;
  absl::node_hash_map<std::string, StateSlot> states_;  // by node name
  std::atomic<int64_t> made_executables_ = 0, made_plans_ = 0, runs_ = 0;
  std::atomic<int> active_ = 0;
  std::atomic<bool> ended_ = false;
  SessionFunctions functions_;
};

struct CallableState {
  std::shared_ptr<SessionState> session;
  RunSignature signature;
  std::shared_ptr<Executable> executable;
  size_t num_feeds = 0, num_fetches = 0;
};

void Callable::Run(std::span<const Tensor> feeds, std::span<Tensor> fetches, const RunOptions& options) const {
  if (!state_) ThrowError(absl::FailedPreconditionError("Callable: made by no Session"));
  if (feeds.size() != state_->num_feeds || fetches.size() != state_->num_fetches)
    ThrowError(InvalidArgument("Callable: takes ", state_->num_feeds, " feeds and gives ", state_->num_fetches, " tensors, called with ",
                               feeds.size(), " and ", fetches.size()));
  ThrowIfError(state_->session->CheckAlive());
  absl::InlinedVector<TensorRep*, 8> in, out(fetches.size(), nullptr);
  for (const Tensor& t : feeds) in.push_back(t.rep());
  std::shared_ptr<Executable> plain;
  if (NanHook::Active()) [[unlikely]] {
    RunSignature signature = state_->signature;
    signature.plain = true;
    plain = ValueOrThrow(state_->session->Find(signature));
  }
  ThrowIfError(state_->session->Run(plain ? *plain : *state_->executable, in, {out.data(), out.size()}, options));
  for (size_t i = 0; i < fetches.size(); ++i) fetches[i] = Tensor::Adopt(out[i]);
}

Tensors Callable::operator()(const Tensors& feeds, const RunOptions& options) const {
  Tensors fetches(state_ ? state_->num_fetches : 0);
  Run(feeds, fetches, options);
  return fetches;
}

Session::Session(const Graph& graph, SessionOptions options)
    : state_(std::make_shared<SessionState>(RefPtr<GraphState>::Share(&graph.state()), std::move(options))) {}
Session::~Session() {
  if (state_) state_->End();
}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&& other) noexcept {
  if (state_ && state_ != other.state_) state_->End();
  state_ = std::move(other.state_);
  return *this;
}

Tensors Session::RunAll(std::span<const Feed> feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets, const RunOptions& options) {
  RunSignature signature;
  ThrowIfError(state_->ResolveAll(feeds.size(), [&](size_t i) -> const TensorName& { return feeds[i].name; }, fetches, targets, &signature));
  const std::shared_ptr<Executable> executable = ValueOrThrow(state_->Find(signature));
  absl::InlinedVector<TensorRep*, 8> in, out(fetches.size(), nullptr);
  for (const Feed& f : feeds) in.push_back(f.value.rep());
  ThrowIfError(state_->Run(*executable, in, {out.data(), out.size()}, options));
  Tensors result(fetches.size());
  for (size_t i = 0; i < result.size(); ++i) result[i] = Tensor::Adopt(out[i]);
  return result;
}

Callable Session::MakeCallable(const std::vector<TensorName>& feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets) {
  RunSignature signature;
  ThrowIfError(state_->ResolveAll(feeds, fetches, targets, &signature));
  Callable callable;
  callable.state_ = std::make_shared<CallableState>(CallableState{state_, signature, ValueOrThrow(state_->Find(signature)), feeds.size(), fetches.size()});
  return callable;
}

ExecutableInfo Session::Explain(const std::vector<TensorName>& feeds, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets) {
  RunSignature signature;
  ThrowIfError(state_->ResolveAll(feeds, fetches, targets, &signature));
  const auto executable = ValueOrThrow(Executable::Make(state_->graph(), signature, state_->options(), true));
  ExecutableInfo info;
  info.nodes_before = executable->nodes_before();
  info.nodes_after = executable->graph().size();
  info.report = executable->log().ToText();
  // What is left of calls: their bodies are optimised by themselves.
  for (const std::string& name : ReachableFunctions(executable->graph(), *state_->graph().library)) {
    const auto function = state_->graph().library->Get(name);
    if (!function.ok()) continue;
    EventLog log;
    const auto body = Executable::MakeFunction(**function, state_->options(), false, &log);
    if (body.ok() && !log.events.empty()) absl::StrAppend(&info.report, "function ", name, ":\n", log.ToText());
  }
  info.report_json = executable->log().ToJson();
  info.last_rewrite = executable->log().LastRewrite();
  info.graph = Graph(RefPtr<GraphState>(new GraphState(state_->graph().library)));
  GraphState& optimised = info.graph.state();
  for (const Node& node : executable->graph().nodes()) optimised.by_name.emplace(node.name, static_cast<int32_t>(optimised.by_name.size()));
  optimised.nodes = executable->graph();
  optimised.nodes.set_library(optimised.library.get());
  return info;
}

std::vector<TensorName> RequiredFeeds(const Graph& graph, const std::vector<TensorName>& fetches, const std::vector<TensorName>& targets) {
  SessionState session(RefPtr<GraphState>::Share(&graph.state()), {});
  RunSignature signature;
  ThrowIfError(session.ResolveAll(std::span<const TensorName>(), fetches, targets, &signature));
  const GraphState& state = graph.state();
  std::shared_lock lock(state.mutex);
  std::vector<bool> seen(state.nodes.size(), false);
  std::vector<int32_t> stack;
  const auto visit = [&](int32_t id) {
    if (!seen[id]) stack.push_back(id);
    seen[id] = true;
  };
  for (TensorId t : signature.fetches) visit(t.node);
  for (int32_t id : signature.targets) visit(id);
  while (!stack.empty()) {
    const Node& node = state.nodes.node(stack.back());
    stack.pop_back();
    for (TensorId t : node.inputs) visit(t.node);
    for (int32_t c : node.controls) visit(c);
  }
  std::vector<TensorName> feeds;
  for (int32_t id = 0; id < state.nodes.size(); ++id)
    if (seen[id] && state.nodes.node(id).op == Op<"Placeholder">()) feeds.emplace_back(std::string(state.nodes.node(id).name));
  return feeds;
}

SessionStatistics Session::statistics() const { return state_->statistics(); }

}  // namespace tandem
