// Derivatives of calls, conditionals and loops. The derivative of a function is a function.
//
// For a function f, its body is traced once more: with its derivative traced inside, every forward value that the
// derivative reads is a capture of it. Those become further results of f (Derivative::forward), and arguments of the
// derivative (Derivative::backward). The call of f in the graph is then replaced by one of forward, in place: who read its
// outputs reads those of the new one, and nothing runs twice. A loop pushes what its derivative reads to one list for each
// value, and the loop of the derivative pops them, last iteration first.
#include <algorithm>
#include <set>

#include "core/gradient.h"
#include "core/ops/arithmetic.h"
#include "core/ops/comparison.h"
#include "core/ops/fill.h"
#include "core/ops/functional.h"
#include "core/ops/likeness.h"
#include "core/ops/plumbing.h"
#include "core/ops/tensor_list.h"
#include "core/scopes.h"
#include "graph/function_gradients.h"
#include "graph/graph.h"
#include "graph/graph_context.h"

namespace tandem {
namespace {

// Functions in functions in …: each level is traced inside the one around it.
constexpr int kMaxDepth = 40;
constinit thread_local int depth = 0;

bool FlowsThrough(DType dtype) { return IsDifferentiable(dtype) || dtype == kVariant || dtype == kResource; }

// x + (-0) is x for every x, so the sum has the bits that it has without this addend.
Tensor NothingLike(const Tensor& x) { return x.dtype() == kVariant ? ZerosLike(x) : -ZerosLike(x); }
Tensor Nothing(DType dtype, const Shape& shape) { return -Zeros(shape, dtype); }

struct Source {
  enum Kind { kArgument, kConstant, kSaved };
  Kind kind;
  int index = 0;    // of the argument, or of the saved value
  Tensor constant;  // an eager value or handle
};

struct Derivative {
  FuncAttr forward;                 // arguments -> results, then saved values
  std::vector<DType> saved_dtypes;
  std::vector<Shape> saved_shapes;
  FuncAttr backward;                // gradients of the seeded results, then one tensor for each source -> gradients
  std::vector<Source> sources;
  std::vector<int> dx;              // the arguments whose gradients it gives
  std::vector<DType> dx_dtypes;
  std::vector<Shape> dx_shapes;
};

bool SameSymbol(const Tensor& a, const Tensor& b) {
  if (!a.symbolic() || !b.symbolic()) return false;
  const SymbolicData &x = a.rep()->symbol(), &y = b.rep()->symbol();
  return x.graph == y.graph && x.node == y.node && x.output == y.output;
}

// Where a capture of the derivative comes from. An argument may be read again only where the caller keeps it.
Source SourceOf(const Tensor& capture, const Tensors& args, const std::vector<bool>& kept, Tensors& saved) {
  if (!capture.symbolic()) return {Source::kConstant, 0, capture};
  if (Tensor value = KnownValue(capture); value.defined()) return {Source::kConstant, 0, std::move(value)};
  for (size_t i = 0; i < args.size(); ++i)
    if (kept[i] && SameSymbol(capture, args[i])) return {Source::kArgument, static_cast<int>(i), {}};
  saved.push_back(capture);
  return {Source::kSaved, static_cast<int>(saved.size()) - 1, {}};
}

Derivative Differentiate(GraphContext& context, const FuncAttr& function, const Tensors& like, const std::vector<Shape>& shapes,
                         const std::vector<int>& seeded, const std::vector<int>& wanted, const std::vector<bool>& kept) {
  Derivative d;
  const auto forward = [&](const Tensors& args) {
    GraphContext& body = *CurrentGraphContext();
    Tensors results = body.Inline(function, args), ys, xs;
    for (int r : seeded) ys.push_back(results[r]);
    for (int i : wanted) xs.push_back(args[i]);
    const auto backward = [&](const Tensors& dys) {
      const Tensors dx = CurrentGraphContext()->GradientsOf(ys, xs, dys);
      Tensors defined;
      for (size_t k = 0; k < dx.size(); ++k) {
        if (!dx[k].defined()) continue;
        d.dx.push_back(wanted[k]);
        defined.push_back(dx[k]);
      }
      return defined;
    };
    const TracedFunctions traced = body.Trace({{.name = function.name + "_backward", .like = ys, .function = backward}});
    d.backward = traced.functions[0].func;
    d.dx_dtypes = traced.functions[0].dtypes;
    d.dx_shapes = traced.functions[0].shapes;
    Tensors saved;
    for (const Tensor& capture : traced.captures) d.sources.push_back(SourceOf(capture, args, kept, saved));
    for (Tensor& t : saved) {
      d.saved_dtypes.push_back(t.dtype());
      d.saved_shapes.push_back(t.shape());
      results.push_back(std::move(t));
    }
    return results;
  };
  const TracedFunctions traced = context.Trace({{.name = function.name + "_forward", .like = like, .shapes = shapes, .function = forward}});
  if (!traced.captures.empty()) ThrowError(absl::InternalError(absl::StrCat("the derivative of \"", function.name, "\" reads a tensor from outside")));
  d.forward = traced.functions[0].func;
  return d;
}

// A call op as its graph has it now: an earlier derivative may have replaced the one that was recorded.
struct Call {
  RefPtr<GraphState> graph;
  int32_t node = -1;
  OpId op = OpId::kInvalid;
  absl::InlinedVector<AttrValue, 1> attrs;
  Tensors inputs, outputs;
  Origin origin;

  AttrRef attr(AttrName name) const {
    const OpSchema& schema = GetOp(op);
    return attrs[schema.attrs()[schema.FindAttr(name.hash)].explicit_index].ref();
  }
};

Call FindCall(const Recorded& op) {
  const Tensor& out = op.output(0);
  SymbolicGraph* graph = GraphOf(out);
  if (!graph) ThrowError(absl::UnimplementedError(absl::StrCat(op.schema().name(), ": called outside of a graph, it has no derivative")));
  Call call{RefPtr<GraphState>::Share(static_cast<GraphState*>(graph)), out.rep()->symbol().node, {}, {}, {}, {}, op.origin()};
  std::shared_lock lock(call.graph->mutex);
  const Node* node = &call.graph->nodes.node(call.node);
  while (node->op == Op<"IdentityN">()) {
    call.node = node->inputs[0].node;
    node = &call.graph->nodes.node(call.node);
  }
  call.op = node->op;
  call.attrs = node->attrs;
  // Tapes know tensors, not nodes: the recorded inputs, then those that were added since.
  for (size_t i = 0; i < node->inputs.size(); ++i)
    call.inputs.push_back(i < static_cast<size_t>(op.num_inputs()) ? op.input(static_cast<int>(i)) : call.graph->Symbol(node->inputs[i]));
  for (size_t i = 0; i < node->outputs.size(); ++i) call.outputs.push_back(call.graph->Symbol({call.node, static_cast<int32_t>(i)}));
  return call;
}

// The new call takes the place of the old one, whose readers and name stay; its own node hands on what the old one gives.
void Supersede(const Call& call, const Tensors& outputs) {
  std::unique_lock lock(call.graph->mutex);
  NodeGraph& nodes = call.graph->nodes;
  const int32_t made = outputs[0].rep()->symbol().node;
  Node &old = nodes.node(call.node), &fresh = nodes.node(made);
  old.op = fresh.op;
  old.attrs = std::move(fresh.attrs);
  old.inputs = std::move(fresh.inputs);
  old.outputs = fresh.outputs;
  fresh.op = Op<"IdentityN">();
  fresh.attrs.clear();
  fresh.inputs.clear();
  for (size_t k = 0; k < fresh.outputs.size(); ++k) fresh.inputs.push_back({call.node, static_cast<int32_t>(k)});
}

// Runs fn with ops recorded in the call's graph. Where that is the current one, tapes see them.
template <class F>
auto InGraphOf(const Call& call, F&& fn) {
  const ControlDependencies none({});  // what is made here runs before the call that it belongs to
  GraphContext* current = CurrentGraphContext();
  if (current && &current->state() == call.graph.get()) return fn(*current);
  GraphContext own(call.graph);
  ContextScope scope(&own);
  const ScopeBarrier barrier;
  return fn(own);
}

std::vector<DType> DTypesOf(const Tensors& tensors) {
  std::vector<DType> dtypes;
  for (const Tensor& t : tensors) dtypes.push_back(t.dtype());
  return dtypes;
}

// The arguments of the backward function behind the seeds.
void AppendSources(const Derivative& d, const Tensors& arguments, std::span<const Tensor> saved, Tensors& args) {
  for (const Source& s : d.sources)
    args.push_back(s.kind == Source::kArgument ? arguments[s.index] : s.kind == Source::kConstant ? s.constant : saved[s.index]);
}

class CallDifferentiator {
 public:
  CallDifferentiator(GraphContext& context, const Recorded& op, std::span<const Tensor> dy) : context_(context), op_(op), call_(FindCall(op)), dy_(dy.begin(), dy.end()) {
    dy_.resize(call_.outputs.size());
  }

  Tensors Run() {
    const std::string& name = GetOp(call_.op).name();
    if (name == "PartitionedCall" || name == "StatefulPartitionedCall") return RunCall();
    if (name == "While" || name == "StatelessWhile") return RunLoop();
    return RunBranches();
  }

 private:
  bool Needed(size_t input) const {
    return input < static_cast<size_t>(op_.num_inputs()) && op_.needs(static_cast<int>(input)) && FlowsThrough(call_.inputs[input].dtype());
  }
  std::vector<int> Seeded() const {
    std::vector<int> seeded;
    for (size_t r = 0; r < dy_.size(); ++r)
      if (dy_[r].defined() && call_.outputs[r].dtype() != kResource) seeded.push_back(static_cast<int>(r));
    return seeded;
  }
  Tensors Seeds(const std::vector<int>& seeded) const {
    Tensors seeds;
    for (int r : seeded) seeds.push_back(dy_[r]);
    return seeds;
  }

  Tensors RunCall() {
    std::vector<int> wanted;
    for (size_t i = 0; i < call_.inputs.size(); ++i)
      if (Needed(i)) wanted.push_back(static_cast<int>(i));
    const std::vector<int> seeded = Seeded();
    Derivative d;
    const Tensors outputs = InGraphOf(call_, [&](GraphContext& graph) {
      d = Differentiate(graph, call_.attr("f").get<FuncAttr>(), call_.inputs, {}, seeded, wanted, std::vector<bool>(call_.inputs.size(), true));
      std::vector<DType> dtypes = DTypesOf(call_.outputs);
      dtypes.insert(dtypes.end(), d.saved_dtypes.begin(), d.saved_dtypes.end());
      Tensors made = RunMany(call_.op, call_.inputs, {std::span<const DType>(dtypes), d.forward, call_.attr("config"), call_.attr("config_proto"), call_.attr("executor_type")}, call_.origin);
      Supersede(call_, made);
      return made;
    });
    Tensors args = Seeds(seeded), dx(op_.num_inputs());
    AppendSources(d, call_.inputs, std::span(outputs).subspan(call_.outputs.size()), args);
    if (d.dx.empty()) return dx;
    const Tensors gradients = CallFunction(d.backward, args, d.dx_dtypes, context_.IsStateful(d.backward), call_.origin);
    for (size_t k = 0; k < d.dx.size(); ++k) dx[d.dx[k]] = gradients[k];
    return dx;
  }

  // If and Case. Every branch gives what any branch saves: of the others, something of the same dtype that nobody reads.
  Tensors RunBranches() {
    const bool is_case = GetOp(call_.op).FindAttr("branches") >= 0;
    std::vector<FuncAttr> branches;
    if (is_case) {
      const auto list = call_.attr("branches").get<std::span<const FuncAttr>>();
      branches.assign(list.begin(), list.end());
    } else {
      branches = {call_.attr("then_branch").get<FuncAttr>(), call_.attr("else_branch").get<FuncAttr>()};
    }
    const Tensors arguments(call_.inputs.begin() + 1, call_.inputs.end());
    std::vector<int> wanted;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (Needed(i + 1)) wanted.push_back(static_cast<int>(i));
    const std::vector<int> seeded = Seeded();
    const size_t m = call_.outputs.size();
    std::vector<Derivative> ds;
    std::vector<size_t> first_saved;  // by branch, among the outputs
    const Tensors outputs = InGraphOf(call_, [&](GraphContext& graph) {
      std::vector<DType> dtypes = DTypesOf(call_.outputs);
      for (const FuncAttr& f : branches) {
        ds.push_back(Differentiate(graph, f, arguments, {}, seeded, wanted, std::vector<bool>(arguments.size(), true)));
        first_saved.push_back(dtypes.size());
        dtypes.insert(dtypes.end(), ds.back().saved_dtypes.begin(), ds.back().saved_dtypes.end());
      }
      std::vector<FunctionToTrace> forward;
      for (size_t b = 0; b < ds.size(); ++b)
        forward.push_back({.name = branches[b].name + "_saving", .like = arguments, .function = [&, b](const Tensors& args) { return Saving(ds, b, m, args); }});
      return Replaced(is_case, Functions(graph.Trace(forward)), dtypes);
    });

    std::set<int> all;
    for (const Derivative& d : ds) all.insert(d.dx.begin(), d.dx.end());
    Tensors dx(op_.num_inputs());
    if (all.empty()) return dx;
    const Tensors seeds = Seeds(seeded);
    std::vector<FunctionToTrace> backward;
    for (size_t b = 0; b < ds.size(); ++b)
      backward.push_back({.name = branches[b].name + "_backward", .function = [&, b](const Tensors&) {
                            Tensors saved;
                            for (size_t k = 0; k < ds[b].saved_dtypes.size(); ++k) {
                              const Tensor& t = outputs[first_saved[b] + k];
                              saved.push_back(t.shape() == ds[b].saved_shapes[k] || t.dtype() == kResource ? t : EnsureShape(t, ds[b].saved_shapes[k]));
                            }
                            return Gradients(ds, b, all, seeds, arguments, saved);
                          }});
    const TracedFunctions traced = context_.Trace(backward);
    Tensors inputs = {call_.inputs[0]};
    inputs.insert(inputs.end(), traced.captures.begin(), traced.captures.end());
    const bool stateful = std::any_of(traced.functions.begin(), traced.functions.end(), [](const TracedFunction& f) { return f.stateful; });
    const std::span<const DType> dtypes = traced.functions[0].dtypes;
    const std::vector<FuncAttr> functions = Functions(traced);
    const std::vector<Shape> shapes;
    const Tensors gradients =
        is_case ? RunMany(stateful ? Op<"Case">() : Op<"StatelessCase">(), inputs, {dtypes, std::span<const FuncAttr>(functions), std::span<const Shape>(shapes)}, call_.origin)
                : RunMany(stateful ? Op<"If">() : Op<"StatelessIf">(), inputs, {dtypes, functions[0], functions[1], std::span<const Shape>(shapes)}, call_.origin);
    size_t k = 0;
    for (int i : all) dx[i + 1] = gradients[k++];
    return dx;
  }

  static std::vector<FuncAttr> Functions(const TracedFunctions& traced) {
    std::vector<FuncAttr> functions;
    for (const TracedFunction& f : traced.functions) functions.push_back(f.func);
    return functions;
  }

  // The results of branch b, then what every branch saves.
  static Tensors Saving(const std::vector<Derivative>& ds, size_t b, size_t num_results, const Tensors& args) {
    const Tensors given = CurrentGraphContext()->Inline(ds[b].forward, args);
    Tensors results(given.begin(), given.begin() + static_cast<ptrdiff_t>(num_results));
    for (size_t c = 0; c < ds.size(); ++c)
      for (size_t k = 0; k < ds[c].saved_dtypes.size(); ++k) {
        const DType dtype = ds[c].saved_dtypes[k];
        if (c == b) results.push_back(given[num_results + k]);
        else if (dtype == kVariant) results.push_back(EmptyTensorList(kFloat32));
        else if (dtype == kResource) ThrowError(absl::UnimplementedError("the derivative of a branch reads a resource that the branch makes"));
        else results.push_back(Zeros({0}, dtype));
      }
    return results;
  }

  Tensors Replaced(bool is_case, const std::vector<FuncAttr>& functions, const std::vector<DType>& dtypes) {
    const std::vector<Shape> shapes;
    const std::span<const DType> types = dtypes;
    Tensors made = is_case ? RunMany(call_.op, call_.inputs, {types, std::span<const FuncAttr>(functions), std::span<const Shape>(shapes)}, call_.origin)
                           : RunMany(call_.op, call_.inputs, {types, functions[0], functions[1], std::span<const Shape>(shapes)}, call_.origin);
    Supersede(call_, made);
    return made;
  }

  // The gradients of the arguments in `all` by branch b; nothing where that one has none.
  static Tensors Gradients(const std::vector<Derivative>& ds, size_t b, const std::set<int>& all, const Tensors& seeds, const Tensors& arguments, const Tensors& saved) {
    const Derivative& d = ds[b];
    Tensors args = seeds;
    AppendSources(d, arguments, saved, args);
    Tensors given, gradients;
    if (!d.dx.empty()) given = CurrentGraphContext()->Inline(d.backward, args);
    for (int i : all) {
      const auto at = std::find(d.dx.begin(), d.dx.end(), i);
      gradients.push_back(at != d.dx.end() ? given[at - d.dx.begin()] : arguments[i].dtype() == kResource ? NothingOfVariable(ds, i, arguments[i]) : NothingLike(arguments[i]));
    }
    return gradients;
  }

  // The dtype, and perhaps the shape, of a variable's gradient stand where a branch has one.
  static Tensor NothingOfVariable(const std::vector<Derivative>& ds, int argument, const Tensor& handle) {
    for (const Derivative& d : ds)
      for (size_t k = 0; k < d.dx.size(); ++k)
        if (d.dx[k] == argument) return NothingOfVariable(d.dx_dtypes[k], d.dx_shapes[k], handle);
    return Tensor();
  }
  static Tensor NothingOfVariable(DType dtype, const Shape& shape, const Tensor& handle) {
    if (shape.fully_known()) return Nothing(dtype, shape);
    return NothingLike(tandem::Run(Op<"ReadVariableOp">(), {handle}, {dtype}));
  }

  Tensors RunLoop();
  // Which loop variables carry gradients: those that lead from what is needed to what has one.
  std::vector<int> Carriers(const GraphFunction& body) const;

  GraphContext& context_;
  const Recorded& op_;
  const Call call_;
  Tensors dy_;
};

// by argument: the results that depend on it through differentiable ops.
std::vector<std::vector<bool>> Dependence(const GraphFunction& f) {
  const NodeGraph& body = f.body;
  std::vector<std::vector<bool>> depends;
  for (int32_t arg : f.args) {
    std::vector<bool> reached(body.size(), false);
    reached[arg] = FlowsThrough(body.node(arg).outputs[0].dtype);
    for (int32_t id : f.order)
      for (TensorId t : body.node(id).inputs)
        if (reached[t.node] && FlowsThrough(body.output(t).dtype) && body.node(id).schema().differentiable()) reached[id] = true;
    auto& row = depends.emplace_back();
    for (TensorId t : f.results) row.push_back(reached[t.node] && FlowsThrough(body.output(t).dtype));
  }
  return depends;
}

std::vector<int> CallDifferentiator::Carriers(const GraphFunction& body) const {
  const auto depends = Dependence(body);
  const size_t n = call_.inputs.size();
  std::vector<bool> after(n), before(n);
  for (size_t i = 0; i < n; ++i) {
    after[i] = dy_[i].defined();
    before[i] = Needed(i);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        if (!depends[i][j]) continue;
        if (after[j] && !after[i]) changed = after[i] = true;
        if (before[i] && !before[j]) changed = before[j] = true;
      }
  }
  std::vector<int> carriers;
  for (size_t i = 0; i < n; ++i) {
    // Another variable in each iteration: whose gradient would it be?
    const bool fixed = call_.inputs[i].dtype() != kResource || body.results[i] == TensorId{body.args[i], 0};
    if (after[i] && before[i] && fixed && FlowsThrough(call_.inputs[i].dtype())) carriers.push_back(static_cast<int>(i));
  }
  return carriers;
}

Tensors CallDifferentiator::RunLoop() {
  Tensors dx(op_.num_inputs());
  const size_t n = call_.inputs.size();
  const FuncAttr cond = call_.attr("cond").get<FuncAttr>(), body = call_.attr("body").get<FuncAttr>();
  const auto function = ValueOrThrow(call_.graph->library->Get(body.name));
  const std::vector<int> carriers = Carriers(*function);
  if (carriers.empty()) return dx;
  std::vector<int> seeded;
  for (int i : carriers)
    if (call_.inputs[i].dtype() != kResource) seeded.push_back(i);
  std::vector<bool> kept;
  for (size_t i = 0; i < n; ++i) kept.push_back(function->results[i] == TensorId{function->args[i], 0});
  std::vector<Shape> shapes;
  for (const Tensor& t : call_.outputs) shapes.push_back(t.shape());

  // The forward loop: its variables, a counter, a list for each saved value.
  Derivative d;
  const Tensors outputs = InGraphOf(call_, [&](GraphContext& graph) {
    d = Differentiate(graph, body, call_.inputs, shapes, seeded, carriers, kept);
    Tensors vars = call_.inputs;
    std::vector<Shape> all = shapes;
    vars.push_back(Tensor(0));
    all.push_back({});
    for (size_t k = 0; k < d.saved_dtypes.size(); ++k) {
      vars.push_back(EmptyTensorList(d.saved_dtypes[k], d.saved_shapes[k]));
      all.push_back({});
    }
    const auto old = [n](const Tensors& in) { return Tensors(in.begin(), in.begin() + static_cast<ptrdiff_t>(n)); };
    const auto next = [&](const Tensors& in) {
      const Tensors given = CurrentGraphContext()->Inline(d.forward, old(in));
      Tensors out(given.begin(), given.begin() + static_cast<ptrdiff_t>(n));
      out.push_back(in[n] + 1);
      for (size_t k = 0; k < d.saved_dtypes.size(); ++k) out.push_back(TensorListPushBack(in[n + 1 + k], given[n + k]));
      return out;
    };
    const TracedFunctions traced = graph.Trace({
        {.name = cond.name + "_saving", .like = vars, .shapes = all, .function = [&](const Tensors& in) { return CurrentGraphContext()->Inline(cond, old(in)); }},
        {.name = body.name + "_saving", .like = vars, .shapes = all, .function = next},
    });
    const std::vector<Shape> none;
    Tensors made = RunMany(call_.op, vars, {traced.functions[0].func, traced.functions[1].func, std::span<const Shape>(none), call_.attr("parallel_iterations")}, call_.origin);
    Supersede(call_, made);
    return made;
  });

  // The backward loop: iterations left, gradients, the lists.
  const size_t g = carriers.size();
  Tensors vars = {outputs[n]};
  std::vector<Shape> all = {Shape()};
  for (size_t c = 0; c < g; ++c) {
    const int i = carriers[c];
    Tensor seed = dy_[i];
    Shape shape = shapes[i];
    if (call_.inputs[i].dtype() == kResource) {
      const auto at = std::find(d.dx.begin(), d.dx.end(), i) - d.dx.begin();
      if (at == static_cast<ptrdiff_t>(d.dx.size())) {
        seed = Nothing(kFloat32, {});  // no gradient after all
        shape = {};
      } else {
        shape = d.dx_shapes[at];
        seed = NothingOfVariable(d.dx_dtypes[at], shape, call_.inputs[i]);
      }
    }
    vars.push_back(seed.defined() ? seed : NothingLike(outputs[i]));
    all.push_back(shape);
  }
  for (size_t k = 0; k < d.saved_dtypes.size(); ++k) {
    vars.push_back(outputs[n + 1 + k]);
    all.push_back({});
  }
  const auto next = [&](const Tensors& in) {
    Tensors out = {in[0] - 1}, lists, saved, args;
    for (size_t k = 0; k < d.saved_dtypes.size(); ++k) {
      Tensors popped = TensorListPopBack(in[1 + g + k], d.saved_dtypes[k], d.saved_shapes[k]);
      lists.push_back(std::move(popped[0]));
      saved.push_back(std::move(popped[1]));
    }
    for (size_t c = 0; c < g; ++c)
      if (call_.inputs[carriers[c]].dtype() != kResource) args.push_back(in[1 + c]);
    AppendSources(d, call_.inputs, saved, args);
    const Tensors given = CurrentGraphContext()->Inline(d.backward, args);
    for (size_t c = 0; c < g; ++c) {
      const auto at = std::find(d.dx.begin(), d.dx.end(), carriers[c]);
      const bool variable = call_.inputs[carriers[c]].dtype() == kResource;
      Tensor gradient = at != d.dx.end() ? given[at - d.dx.begin()] : variable ? in[1 + c] : NothingLike(in[1 + c]);
      if (variable && at != d.dx.end()) gradient = in[1 + c] + gradient;
      const Shape& shape = all[1 + c];
      out.push_back(gradient.shape() == shape || !shape.known_rank() ? gradient : EnsureShape(gradient, shape));
    }
    out.insert(out.end(), lists.begin(), lists.end());
    return out;
  };
  const TracedFunctions traced = context_.Trace({
      {.name = cond.name + "_backward", .like = vars, .shapes = all, .function = [](const Tensors& in) { return Tensors{in[0] > 0}; }},
      {.name = body.name + "_backward", .like = vars, .shapes = all, .function = next, .returns_captures = true},
  });
  vars.insert(vars.end(), traced.captures.begin(), traced.captures.end());
  const std::vector<Shape> none;
  const Tensors gradients = RunMany(traced.functions[1].stateful ? Op<"While">() : Op<"StatelessWhile">(), vars,
                                    {traced.functions[0].func, traced.functions[1].func, std::span<const Shape>(none), call_.attr("parallel_iterations")}, call_.origin);
  for (size_t c = 0; c < g; ++c) {
    const bool none_after_all = call_.inputs[carriers[c]].dtype() == kResource && std::find(d.dx.begin(), d.dx.end(), carriers[c]) == d.dx.end();
    if (Needed(carriers[c]) && !none_after_all) dx[carriers[c]] = gradients[1 + c];
  }
  return dx;
}

}  // namespace

Tensors DifferentiateCall(const Recorded& op, std::span<const Tensor> dy) {
  GraphContext* context = CurrentGraphContext();
  if (!context) ThrowError(absl::UnimplementedError(absl::StrCat(op.schema().name(), ": called eagerly by its name, a function has no derivative")));
  if (depth >= kMaxDepth)
    ThrowError(InvalidArgument(op.schema().name(), ": functions nested more than ", kMaxDepth, " deep: the derivative of a function that calls itself cannot be built"));
  struct Nested {
    Nested() { ++depth; }
    ~Nested() { --depth; }
  } nested;
  return CallDifferentiator(*context, op, dy).Run();
}

}  // namespace tandem
