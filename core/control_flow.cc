#include "core/control_flow.h"

#include <utility>

#include "core/function_tracer.h"
#include "core/ops/arithmetic.h"
#include "core/ops/comparison.h"
#include "core/ops/concat.h"
#include "core/ops/plumbing.h"
#include "core/ops/reshape.h"
#include "core/ops/slice.h"
#include "core/ops/tensor_list.h"
#include "core/scopes.h"
#include "core/status.h"

namespace tandem {
namespace {

// A body that calls itself without end would use up the stack: eagerly, or while it is traced, where even a recursion
// that a value ends has none.
constexpr int kMaxEagerDepth = 1000;
constexpr int kMaxTracedDepth = 40;
constinit thread_local int depth = 0;

class Nested {
 public:
  explicit Nested(std::string_view what) {
    const int limit = ExecutingEagerly() ? kMaxEagerDepth : kMaxTracedDepth;
    if (depth >= limit)
      ThrowError(InvalidArgument(Absl(what), ": calls nested more than ", limit, " deep: a recursion without an end",
                                 ExecutingEagerly() ? "" : ", or one that ends on a value, which a graph does not have while it is built"));
    ++depth;
  }
  ~Nested() { --depth; }
  Nested(const Nested&) = delete;
};

std::string TypeText(DType dtype, const Shape& shape) { return std::string(DTypeName(dtype)) + shape.ToString(); }
std::string TypeText(const Tensor& t) { return TypeText(t.dtype(), t.shape()); }

void CheckDefined(const Tensors& tensors, std::string_view what) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].defined()) ThrowError(InvalidArgument(Absl(what), " ", i, " is an undefined tensor"));
}

void CheckScalar(const Tensor& t, DType dtype, std::string_view what) {
  if (t.defined() && t.dtype() == dtype && t.rank() <= 0) return;
  ThrowError(InvalidArgument(Absl(what), " is ", t.defined() ? TypeText(t) : "undefined", ", must be a scalar ", std::string(DTypeName(dtype))));
}

// The tracer of the graph that records.
FunctionTracer& Tracer(std::string_view what) {
  FunctionTracer* tracer = CurrentFunctionTracer();
  if (!tracer) ThrowError(absl::UnimplementedError(absl::StrCat(Absl(what), ": the current context cannot hold functions")));
  return *tracer;
}

Tensors WithCaptures(Tensors args, const TracedFunctions& traced) {
  args.insert(args.end(), traced.captures.begin(), traced.captures.end());
  return args;
}

std::string Count(size_t n) { return absl::StrCat(n, n == 1 ? " tensor" : " tensors"); }

// Results of branches: one list of dtypes, and what all know of the shapes.
std::vector<Shape> MergeBranches(const TracedFunctions& traced, std::span<const std::string> names, std::string_view op) {
  const TracedFunction& first = traced.functions[0];
  std::vector<Shape> shapes = first.shapes;
  for (size_t b = 1; b < traced.functions.size(); ++b) {
    const TracedFunction& other = traced.functions[b];
    if (other.dtypes.size() != first.dtypes.size())
      ThrowError(InvalidArgument(Absl(op), ": branches disagree: ", names[0], " gives ", Count(first.dtypes.size()), ", ", names[b], " gives ", Count(other.dtypes.size())));
    for (size_t i = 0; i < first.dtypes.size(); ++i) {
      if (first.dtypes[i] != other.dtypes[i])
        ThrowError(InvalidArgument(Absl(op), ": branches disagree: result ", i, " is ", TypeText(first.dtypes[i], first.shapes[i]), " in ", names[0], ", ",
                                   TypeText(other.dtypes[i], other.shapes[i]), " in ", names[b]));
      if (shapes[i] == other.shapes[i]) continue;
      if (shapes[i].rank() != other.shapes[i].rank()) {
        shapes[i] = Shape::Unknown();
        continue;
      }
      for (int d = 0; d < shapes[i].rank(); ++d)
        if (shapes[i][d] != other.shapes[i][d]) shapes[i][d] = kUnknownDim;
    }
  }
  return shapes;
}

bool AnyStateful(const TracedFunctions& traced) {
  for (const TracedFunction& f : traced.functions)
    if (f.stateful) return true;
  return false;
}

// A loop variable keeps dtype and shape. The value, where the graph does not know enough of its shape, with a check.
Tensor Kept(const Tensor& next, DType dtype, const Shape& shape, size_t i) {
  if (next.dtype() == dtype && shape.CompatibleWith(next.shape())) {
    if (!next.symbolic() || shape.MergedWith(next.shape()) == next.shape()) return next;
    return EnsureShape(next, shape);
  }
  ThrowError(InvalidArgument("While: loop variable ", i, " is ", TypeText(dtype, shape), ", the body gives ", TypeText(next)));
}

Tensors Checked(Tensors next, const std::vector<DType>& dtypes, const std::vector<Shape>& shapes) {
  if (next.size() != dtypes.size())
    ThrowError(InvalidArgument("While: the body takes ", Count(dtypes.size()), " and gives ", Count(next.size())));
  CheckDefined(next, "While: the body's result");
  for (size_t i = 0; i < next.size(); ++i) next[i] = Kept(next[i], dtypes[i], shapes[i], i);
  return next;
}

Tensor Condition(const control_flow::Function& cond, const Tensors& vars) {
  Tensors c = cond(vars);
  if (c.size() != 1) ThrowError(InvalidArgument("While: cond gives ", Count(c.size()), ", must give one"));
  CheckScalar(c[0], kBool, "While: cond");
  return std::move(c[0]);
}

// The loop as an op of the graph.
Tensors RecordWhile(const control_flow::Function& cond, const control_flow::Function& body, Tensors vars, const std::vector<Shape>& shapes,
                    const WhileOptions& options, Origin origin) {
  const size_t n = vars.size();
  std::vector<DType> dtypes;
  for (const Tensor& v : vars) dtypes.push_back(v.dtype());
  const TracedFunctions traced = Tracer("While").Trace({
      {.name = "while_cond", .like = vars, .shapes = shapes, .function = [&](const Tensors& in) { return Tensors{Condition(cond, in)}; }},
      {.name = "while_body", .like = vars, .shapes = shapes, .function = [&](const Tensors& in) { return Checked(body(in), dtypes, shapes); },
       .returns_captures = true},
  });
  std::vector<Shape> all = shapes;
  for (const Tensor& c : traced.captures) all.push_back(c.shape());
  Tensors results = RunMany(AnyStateful(traced) ? Op<"While">() : Op<"StatelessWhile">(), WithCaptures(std::move(vars), traced),
                            {traced.functions[0].func, traced.functions[1].func, std::span<const Shape>(all), options.parallel_iterations}, origin);
  results.resize(n);
  return results;
}

}  // namespace

namespace control_flow {

Tensors RunCond(const Tensor& pred, const Branch& then_branch, const Branch& else_branch, Origin origin) {
  CheckScalar(pred, kBool, "Cond: pred");
  const Nested nested("Cond");
  if (ExecutingEagerly()) return pred ? then_branch() : else_branch();
  const TracedFunctions traced = Tracer("Cond").Trace({
      {.name = "cond_true", .function = [&](const Tensors&) { return then_branch(); }},
      {.name = "cond_false", .function = [&](const Tensors&) { return else_branch(); }},
  });
  const std::string names[] = {"then_branch", "else_branch"};
  const std::vector<Shape> shapes = MergeBranches(traced, names, "Cond");
  const std::vector<DType>& dtypes = traced.functions[0].dtypes;
  return RunMany(AnyStateful(traced) ? Op<"If">() : Op<"StatelessIf">(), WithCaptures({pred}, traced),
                 {std::span<const DType>(dtypes), traced.functions[0].func, traced.functions[1].func, std::span<const Shape>(shapes)}, origin);
}

Tensors RunCase(const Tensor& index, const std::vector<Branch>& branches, Origin origin) {
  if (branches.empty()) ThrowError(InvalidArgument("Case: no branches"));
  CheckScalar(index, kInt32, "Case: index");
  const Nested nested("Case");
  if (ExecutingEagerly()) {
    const int32_t i = index.item<int32_t>();
    return (i < 0 || static_cast<size_t>(i) >= branches.size() ? branches.back() : branches[i])();
  }
  std::vector<FunctionToTrace> functions;
  std::vector<std::string> names;
  for (size_t b = 0; b < branches.size(); ++b) {
    functions.push_back({.name = absl::StrCat("case_", b), .function = [&branches, b](const Tensors&) { return branches[b](); }});
    names.push_back(absl::StrCat("branch ", b));
  }
  const TracedFunctions traced = Tracer("Case").Trace(functions);
  const std::vector<Shape> shapes = MergeBranches(traced, names, "Case");
  const std::vector<DType>& dtypes = traced.functions[0].dtypes;
  std::vector<FuncAttr> funcs;
  for (const TracedFunction& f : traced.functions) funcs.push_back(f.func);
  return RunMany(AnyStateful(traced) ? Op<"Case">() : Op<"StatelessCase">(), WithCaptures({index}, traced),
                 {std::span<const DType>(dtypes), std::span<const FuncAttr>(funcs), std::span<const Shape>(shapes)}, origin);
}

Tensors RunWhile(const Function& cond, const Function& body, const Tensors& loop_vars, const WhileOptions& options, Origin origin) {
  CheckDefined(loop_vars, "While: loop variable");
  if (options.maximum_iterations < -1)
    ThrowError(InvalidArgument("While: maximum_iterations is ", options.maximum_iterations, ", must be at least -1"));
  const bool invariants = !options.shape_invariants.empty();
  if (invariants && options.shape_invariants.size() != loop_vars.size())
    ThrowError(InvalidArgument("While: ", options.shape_invariants.size(), " shape invariants for ", loop_vars.size(), " loop variables"));
  const Nested nested("While");
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < loop_vars.size(); ++i) {
    shapes.push_back(invariants ? options.shape_invariants[i] : loop_vars[i].shape());
    dtypes.push_back(loop_vars[i].dtype());
    if (!shapes[i].CompatibleWith(loop_vars[i].shape()))
      ThrowError(InvalidArgument("While: loop variable ", i, " is ", TypeText(loop_vars[i]), ", its shape invariant is ", shapes[i].ToString()));
  }
  const int64_t limit = options.maximum_iterations;
  if (ExecutingEagerly()) {
    Tensors vars = loop_vars;
    for (int64_t n = 0; (limit < 0 || n < limit) && Condition(cond, vars); ++n) vars = Checked(body(vars), dtypes, shapes);
    return vars;
  }
  if (limit < 0) return RecordWhile(cond, body, loop_vars, shapes, options, origin);

  // A counter in front, as TensorFlow's loops have one.
  const auto rest = [](const Tensors& in) { return Tensors(in.begin() + 1, in.end()); };
  Tensors vars = {Tensor(int64_t{0})};
  vars.insert(vars.end(), loop_vars.begin(), loop_vars.end());
  shapes.insert(shapes.begin(), Shape());
  const auto counted_cond = [&](const Tensors& in) { return Tensors{LogicalAnd(Less(in[0], limit), Condition(cond, rest(in)))}; };
  const auto counted_body = [&](const Tensors& in) {
    Tensors next = body(rest(in));
    if (next.size() != loop_vars.size()) ThrowError(InvalidArgument("While: the body takes ", Count(loop_vars.size()), " and gives ", Count(next.size())));
    next.insert(next.begin(), in[0] + 1);
    return next;
  };
  Tensors results = RecordWhile(counted_cond, counted_body, std::move(vars), shapes, options, origin);
  results.erase(results.begin());
  return results;
}

namespace {

// The slices of all elems, as lists; how many there are.
struct Slices {
  Tensors lists;
  std::vector<DType> dtypes;
  std::vector<ElementShape> shapes;
  Tensor count;
  int64_t static_count = -1;
};

Slices Slice(const Tensors& elems, std::string_view what) {
  if (elems.empty()) ThrowError(InvalidArgument(Absl(what), ": no elems"));
  CheckDefined(elems, absl::StrCat(Absl(what), ": elems"));
  Slices slices;
  for (size_t i = 0; i < elems.size(); ++i) {
    const Shape shape = elems[i].shape();
    if (shape.rank() == 0) ThrowError(InvalidArgument(Absl(what), ": elems ", i, " is a scalar, which has no slices"));
    const int64_t n = shape.rank() < 0 ? -1 : shape[0];
    if (n >= 0 && slices.static_count >= 0 && n != slices.static_count)
      ThrowError(InvalidArgument(Absl(what), ": elems 0 has ", slices.static_count, " slices, elems ", i, " has ", n));
    if (n >= 0) slices.static_count = n;
    const Shape item = shape.rank() < 0 ? Shape::Unknown() : Shape(shape.dims().subspan(1));
    slices.lists.push_back(TensorListFromTensor(elems[i], item));
    slices.dtypes.push_back(elems[i].dtype());
    slices.shapes.push_back(item);
  }
  slices.count = slices.static_count >= 0 ? Tensor(static_cast<int32_t>(slices.static_count)) : TensorListLength(slices.lists[0]);
  return slices;
}

Tensors At(const Slices& slices, const Tensors& lists, const Tensor& i) {
  Tensors items;
  for (size_t k = 0; k < lists.size(); ++k) items.push_back(TensorListGetItem(lists[k], i, slices.dtypes[k], slices.shapes[k]));
  return items;
}

// What a list is to hold is known when the first item is there: a loop's first round runs by itself.
struct Collected {
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
};

Tensors StackAll(const Tensors& lists, const Collected& kinds, int64_t count) {
  Tensors stacked;
  for (size_t k = 0; k < lists.size(); ++k) stacked.push_back(TensorListStack(lists[k], kinds.dtypes[k], kinds.shapes[k], count));
  return stacked;
}

}  // namespace

Tensors RunMap(const Function& fn, const Tensors& elems, const MapOptions& options, Origin origin) {
  const Slices slices = Slice(elems, "Map");
  // fn is traced by the loop; its results' kinds come out of the first trace, or the first call.
  Collected kinds;
  Tensors results;
  if (ExecutingEagerly()) {
    std::vector<Tensors> columns;
    for (int64_t i = 0; i < slices.static_count; ++i) {
      Tensors out = fn(At(slices, slices.lists, Tensor(static_cast<int32_t>(i))));
      CheckDefined(out, "Map: fn's result");
      if (i == 0) {
        for (const Tensor& t : out) {
          kinds.dtypes.push_back(t.dtype());
          kinds.shapes.push_back(t.shape());
          results.push_back(EmptyTensorList(t.dtype(), t.shape()));
        }
      }
      if (out.size() != results.size()) ThrowError(InvalidArgument("Map: fn gave ", Count(results.size()), ", then ", Count(out.size())));
      for (size_t k = 0; k < out.size(); ++k) results[k] = TensorListPushBack(results[k], out[k]);
    }
    if (slices.static_count == 0) ThrowError(InvalidArgument("Map: elems have no slices, and nothing else tells what fn gives"));
    return StackAll(results, kinds, slices.static_count);
  }
  FunctionTracer& tracer = Tracer("Map");
  Tensors item;
  const TracedFunctions traced = tracer.Trace({{.name = "map_fn",
                                               .like = At(slices, slices.lists, 0),
                                               .function = [&](const Tensors& in) {
                                                 Tensors out = fn(in);
                                                 CheckDefined(out, "Map: fn's result");
                                                 return out;
                                               }}});
  const TracedFunction& f = traced.functions[0];
  kinds = {f.dtypes, f.shapes};
  Tensors vars = {Tensor(0)};
  for (size_t k = 0; k < f.dtypes.size(); ++k) vars.push_back(EmptyTensorList(f.dtypes[k], f.shapes[k]));
  const auto body = [&](const Tensors& in) {
    const Tensors out = CurrentFunctionTracer()->Inline(f.func, WithCaptures(At(slices, slices.lists, in[0]), traced));
    Tensors next = {in[0] + 1};
    for (size_t k = 0; k < out.size(); ++k) next.push_back(TensorListPushBack(in[k + 1], out[k]));
    return next;
  };
  results = RunWhile([&](const Tensors& in) { return Tensors{Less(in[0], slices.count)}; }, body, vars,
                     {.maximum_iterations = -1, .parallel_iterations = options.parallel_iterations, .shape_invariants = {}}, origin);
  results.erase(results.begin());
  return StackAll(results, kinds, slices.static_count);
}

Tensors RunFold(const Function& fn, const Tensors& elems, const Tensors& initializer, Order order, bool all, Origin origin) {
  const std::string_view what = all ? "Scan" : order == Order::kForward ? "Foldl" : "Foldr";
  const Slices slices = Slice(elems, what);
  CheckDefined(initializer, absl::StrCat(Absl(what), ": initializer"));
  const size_t n = initializer.size();
  Collected kinds;
  Tensors vars = {Tensor(0)};
  vars.insert(vars.end(), initializer.begin(), initializer.end());
  for (const Tensor& t : initializer) {
    kinds.dtypes.push_back(t.dtype());
    kinds.shapes.push_back(t.shape());
    if (all) vars.push_back(EmptyTensorList(t.dtype(), t.shape()));
  }
  const auto body = [&](const Tensors& in) {
    const Tensor i = order == Order::kForward ? in[0] : slices.count - 1 - in[0];
    Tensors args(in.begin() + 1, in.begin() + 1 + static_cast<ptrdiff_t>(n));
    for (Tensor& item : At(slices, slices.lists, i)) args.push_back(std::move(item));
    const Tensors accumulators = fn(args);
    if (accumulators.size() != n)
      ThrowError(InvalidArgument(Absl(what), ": fn gives ", Count(accumulators.size()), " for ", Count(n), " of accumulators"));
    CheckDefined(accumulators, absl::StrCat(Absl(what), ": fn's result"));
    Tensors next = {in[0] + 1};
    next.insert(next.end(), accumulators.begin(), accumulators.end());
    if (all)
      for (size_t k = 0; k < n; ++k) next.push_back(TensorListPushBack(in[1 + n + k], accumulators[k]));
    return next;
  };
  Tensors results = RunWhile([&](const Tensors& in) { return Tensors{Less(in[0], slices.count)}; }, body, vars, {}, origin);
  if (!all) return Tensors(results.begin() + 1, results.begin() + 1 + static_cast<ptrdiff_t>(n));
  return StackAll(Tensors(results.begin() + 1 + static_cast<ptrdiff_t>(n), results.end()), kinds, slices.static_count);
}

}  // namespace control_flow

Tensor Case(const Tensor& index, const std::vector<std::function<Tensor()>>& branches, Origin origin) {
  std::vector<control_flow::Branch> lists;
  for (const auto& branch : branches) lists.push_back([&branch] { return Tensors{branch()}; });
  return control_flow::RunCase(index, lists, origin)[0];
}

}  // namespace tandem
