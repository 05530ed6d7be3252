// Functions, conditionals and loops by their text: what they give in every mode, and what is refused.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "graph/text.h"
#include "tandem.h"
#include "tests/text_run.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

struct Row {
  const char* name;
  std::string text;
  std::vector<std::pair<std::string, Tensor>> feeds;
  const char* want;
};

const std::string kSquare = "function square(x : float32) {\n  y = Mul(x, x)\n  return y\n}\n";
const std::string kTwice =
    "function twice(x : float32) {\n  a = PartitionedCall(x) {f=square} : float32\n  b = PartitionedCall(a) {f=square} : float32\n  return b, a\n}\n";
const std::string kBranches =
    "function yes(x : float32[]) {\n  y = AddV2(x, 1.)\n  return y\n}\n"
    "function no(x : float32[]) {\n  y = Neg(x)\n  return y\n}\n";
std::string Choose(const char* cond) {
  return kBranches + "c = Const(" + cond + ")\nx = Placeholder() : float32[]\ny = StatelessIf(c, x) {then_branch=yes, else_branch=no} : float32  # fetch\n";
}
const std::string kCounter =
    "function less(i : int32[], x : float32, n : int32[]) {\n  c = Less(i, n)\n  return c\n}\n"
    "function step(i : int32[], x : float32, n : int32[]) {\n  j = AddV2(i, 1)\n  y = Mul(x, 2.)\n  return j, y, n\n}\n"
    "n = Placeholder() : int32[]\nx = Placeholder() : float32[?]\n"
    "w = StatelessWhile(0, x, n) {cond=less, body=step} : int32, float32, int32\n"
    "y = Neg(w:1)  # fetch\ni = Identity(w)  # fetch\n";
const std::string kFibonacci =
    "function one(n : int32[]) {\n  y = Identity(n)\n  return y\n}\n"
    "function fib(n : int32[]) {\n  c = Less(n, 2)\n  y = StatelessIf(c, n) {then_branch=one, else_branch=more} : int32\n  return y\n}\n"
    "function more(n : int32[]) {\n  a = Sub(n, 1)\n  b = Sub(n, 2)\n  p = PartitionedCall(a) {f=fib} : int32\n  q = PartitionedCall(b) {f=fib} : int32\n"
    "  y = AddV2(p, q)\n  return y\n}\n"
    "n = Placeholder() : int32[]\ny = PartitionedCall(n) {f=fib} : int32  # fetch\n";

const Row kRows[] = {
    {"a call", kSquare + "x = Placeholder() : float32[2]\ny = PartitionedCall(x) {f=square} : float32  # fetch\n", {{"x", {2., 3.}}}, "[4. 9.]"},
    {"calls in calls", kSquare + kTwice + "x = Placeholder() : float32[]\nc = PartitionedCall(x) {f=twice} : float32, float32\ny = Sub(c:0, c:1)  # fetch\n",
     {{"x", 2.}}, "12.0"},
    {"a function that gives its argument and a constant",
     "function f(x : float32[]) {\n  c = Const(7.)\n  return x, c, x\n}\nx = Placeholder() : float32[]\nc = PartitionedCall(x) {f=f} : float32, float32, float32  # fetch\n"
     "d = Neg(c:1)  # fetch\ne = Neg(c:2)  # fetch\n",
     {{"x", 2.}}, "2.0; -7.0; -2.0"},
    {"true", Choose("true"), {{"x", 2.}}, "3.0"},
    {"false", Choose("false"), {{"x", 2.}}, "-2.0"},
    {"a number is true", Choose("0.5"), {{"x", 2.}}, "3.0"},
    {"zero is false", Choose("int64(0)"), {{"x", 2.}}, "-2.0"},
    {"minus zero is false", Choose("-0."), {{"x", 2.}}, "-2.0"},
    {"a text is true", Choose("\"false\""), {{"x", 2.}}, "3.0"},
    {"no text is false", Choose("\"\""), {{"x", 2.}}, "-2.0"},
    {"a list with elements is true", Choose("[false]"), {{"x", 2.}}, "3.0"},
    {"an empty list is false", Choose("bool[0]{}"), {{"x", 2.}}, "-2.0"},
    {"a case", kBranches + "i = Placeholder() : int32[]\ny = StatelessCase(i, 5.) {branches=[yes,no]} : float32  # fetch\n", {{"i", 0}}, "6.0"},
    {"a case out of range is the last", kBranches + "i = Placeholder() : int32[]\ny = StatelessCase(i, 5.) {branches=[yes,no,yes]} : float32  # fetch\n", {{"i", -3}}, "6.0"},
    {"a loop", kCounter, {{"n", 5}, {"x", {1., 3.}}}, "[-32. -96.]; 5"},
    {"a loop that does not begin", kCounter, {{"n", 0}, {"x", {1., 3.}}}, "[-1. -3.]; 0"},
    {"a loop that lengthens a tensor",
     "function less(i : int32[], x : float32) {\n  c = Less(i, 7)\n  return c\n}\n"
     "function step(i : int32[], x : float32) {\n  j = AddV2(i, 1)\n  y = ConcatV2(x, [1.], 0)\n  return j, y\n}\n"
     "x = Placeholder() : float32[?]\nw = StatelessWhile(0, x) {cond=less, body=step} : int32, float32\ny = Identity(w:1)  # fetch\n",
     {{"x", {5.}}}, "[5. 1. 1. 1. 1. 1. 1. 1.]"},
    {"a loop whose variables trade places",
     "function less(i : int32[], x : float32[], y : float32[]) {\n  c = Less(i, 3)\n  return c\n}\n"
     "function step(i : int32[], x : float32[], y : float32[]) {\n  j = AddV2(i, 1)\n  return j, y, x\n}\n"
     "w = StatelessWhile(0, 1., 2.) {cond=less, body=step} : int32, float32, float32\nx = Identity(w:1)  # fetch\ny = Identity(w:2)  # fetch\n",
     {}, "2.0; 1.0"},
    {"a loop in a loop",
     "function less(i : int32[], s : int32[]) {\n  c = Less(i, 3)\n  return c\n}\n"
     "function inner(i : int32[], s : int32[]) {\n  j = AddV2(i, 1)\n  t = AddV2(s, j)\n  return j, t\n}\n"
     "function outer(i : int32[], s : int32[]) {\n  j = AddV2(i, 1)\n  w = StatelessWhile(0, s) {cond=less, body=inner} : int32, int32\n  return j, w:1\n}\n"
     "w = StatelessWhile(0, 0) {cond=less, body=outer} : int32, int32\ns = Identity(w:1)  # fetch\n",
     {}, "18"},
    {"a function that calls itself", kFibonacci, {{"n", 10}}, "55"},
    {"a variable in a loop",
     "function less(i : int32[], v : resource[]) {\n  c = Less(i, 4)\n  return c\n}\n"
     "function step(i : int32[], v : resource[]) {\n  j = AddV2(i, 1)\n  a = AssignAddVariableOp(v, 2.)\n  return j, v, ^a\n}\n"
     "v = VarHandleOp() {shared_name=\"v\", dtype=float32, shape=[]} : resource[]\na = AssignVariableOp(v, 1.)\n"
     "w = While(0, v, ^a) {cond=less, body=step} : int32, resource\nr = ReadVariableOp(v, ^w) : float32  # fetch\n",
     {}, "9.0"},
    {"a dead branch may hold what would fail",
     "function yes(x : int32[]) {\n  y = Identity(x)\n  return y\n}\nfunction no(x : int32[]) {\n  y = FloorDiv(x, 0)\n  return y\n}\n"
     "c = Placeholder() : bool[]\ny = StatelessIf(c, 7) {then_branch=yes, else_branch=no} : int32  # fetch\n",
     {{"c", true}}, "7"},

    {"a missing function", "y = PartitionedCall(1.) {f=nowhere} : float32  # fetch\n", {},
     "NOT_FOUND line 1: PartitionedCall: f: there is no function \"nowhere\"; node \"y\""},
    {"too many arguments", kSquare + "y = PartitionedCall(1., 2.) {f=square} : float32  # fetch\n", {},
     "INVALID_ARGUMENT line 5: PartitionedCall: f \"square\" takes (float32), it is passed (float32, float32); node \"y\""},
    {"another dtype", kSquare + "y = PartitionedCall(1) {f=square} : float32  # fetch\n", {},
     "INVALID_ARGUMENT line 5: PartitionedCall: f \"square\" takes (float32), it is passed (int32); node \"y\""},
    {"other results", kSquare + "y = PartitionedCall(1.) {f=square} : int32  # fetch\n", {},
     "INVALID_ARGUMENT line 5: PartitionedCall: f \"square\" gives (float32), the op says (int32); node \"y\""},
    {"branches that disagree", kBranches + "function other(x : float32[]) {\n  y = Cast(x) : int32\n  return y\n}\ny = StatelessIf(true, 1.) {then_branch=yes, else_branch=other} : float32  # fetch\n", {},
     "INVALID_ARGUMENT line 13: StatelessIf: the branches disagree: then_branch \"yes\" gives (float32), else_branch \"other\" gives (int32); node \"y\""},
    {"a loop variable that changes its dtype",
     "function less(i : int32[]) {\n  c = Less(i, 3)\n  return c\n}\nfunction step(i : int32[]) {\n  j = Cast(i) : int64\n  return j\n}\n"
     "w = StatelessWhile(0) {cond=less, body=step} : int32  # fetch\n", {},
     "INVALID_ARGUMENT line 9: StatelessWhile: loop variable 0 is int32, body \"step\" gives int64; node \"w\""},
    {"a body that loses a variable",
     "function less(i : int32[], j : int32[]) {\n  c = Less(i, 3)\n  return c\n}\nfunction step(i : int32[], j : int32[]) {\n  return i\n}\n"
     "w = StatelessWhile(0, 0) {cond=less, body=step} : int32, int32  # fetch\n", {},
     "INVALID_ARGUMENT line 8: StatelessWhile: body \"step\" gives 1 tensor, the loop has 2 variables; node \"w\""},
    {"two conditions",
     "function less(i : int32[]) {\n  c = Less(i, 3)\n  return c, c\n}\nfunction step(i : int32[]) {\n  return i\n}\n"
     "w = StatelessWhile(0) {cond=less, body=step} : int32  # fetch\n", {},
     "INVALID_ARGUMENT line 8: StatelessWhile: cond \"less\" gives 2 tensors, a condition is one; node \"w\""},
    {"a branch index that is no scalar", kBranches + "y = StatelessCase([1,0], 5.) {branches=[yes,no]} : float32  # fetch\n", {},
     "INVALID_ARGUMENT line 9: StatelessCase: branch_index must be a scalar, branch_index is [2]; node \"y\""},
    {"a failure inside names its node",
     "function f(x : int32[]) {\n  d = FloorDiv(7, x)\n  return d\n}\nfunction g(x : int32[]) {\n  e = StatelessIf(true, x) {then_branch=f, else_branch=f} : int32\n  return e\n}\n"
     "x = Placeholder() : int32[]\nc = Placeholder() : bool[]\ny = StatelessIf(c, x) {then_branch=g, else_branch=f} : int32  # fetch\n",
     {{"x", 0}, {"c", true}}, "INVALID_ARGUMENT FloorDiv: integer division by zero: y is 0; node \"y/g/e/f/d\""},
};

}  // namespace

TEST_CASE("functions, branches and loops") {
  for (const Row& row : kRows) {
    INFO(row.name);
    CHECK(RunText(row.text, row.feeds) == row.want);
  }
}

TEST_CASE("functions print as they are read, and come back from a file") {
  const std::string text = kFibonacci;
  const Graph graph = GraphFromText(text);
  CHECK(GraphFromText(graph.ToString()).ToString() == graph.ToString());
  const Graph read = Graph::Parse(graph.Serialize());
  CHECK(read.Serialize() == graph.Serialize());
  Session session(read);
  CHECK(session.Run({{"n", 12}}, "y").item<int>() == 144);
}

TEST_CASE("endless recursion ends with the function's name") {
  const Graph graph = GraphFromText(
      "function ping(x : float32[]) {\n  y = PartitionedCall(x) {f=pong} : float32\n  return y\n}\n"
      "function pong(x : float32[]) {\n  y = PartitionedCall(x) {f=ping} : float32\n  return y\n}\n"
      "y = PartitionedCall(1.) {f=ping} : float32\n");
  for (const OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
    Session session(graph, {.level = level});
    const std::string error = Thrown([&] { session.Run({}, "y"); });
    CHECK(error.find("calls are nested more than") != error.npos);
    CHECK(error.find("\"p") != error.npos);
    CHECK(error.starts_with("INVALID_ARGUMENT"));
  }
}

TEST_CASE("a loop is cancelled and times out") {
  const Graph graph = GraphFromText(
      "function always(i : int32[]) {\n  c = Const(true)\n  return c\n}\nfunction step(i : int32[]) {\n  j = AddV2(i, 1)\n  return j\n}\n"
      "w = StatelessWhile(0) {cond=always, body=step} : int32\n");
  for (const OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
    Session session(graph, {.level = level});
    RunOptions timed;
    timed.timeout = std::chrono::milliseconds(20);
    CHECK(Thrown([&] { session.Run({}, std::vector<TensorName>{"w"}, {}, timed); }).starts_with("DEADLINE_EXCEEDED"));
    Cancellation cancellation;
    RunOptions cancelled;
    cancelled.cancellation = &cancellation;
    std::thread other([&] { cancellation.Cancel(); });
    CHECK(Thrown([&] { session.Run({}, std::vector<TensorName>{"w"}, {}, cancelled); }).starts_with("CANCELLED"));
    other.join();
  }
}

TEST_CASE("loops keep what changes") {
  const Graph graph = GraphFromText(
      "function less(i : int32[], a : float32[2], b : float32[2], c : float32[2]) {\n  t = Less(i, 3)\n  return t\n}\n"
      "function step(i : int32[], a : float32[2], b : float32[2], c : float32[2]) {\n  j = AddV2(i, 1)\n  e = Exp(b)\n  f = AddV2(a, e)\n  g = Neg(c)\n  return j, f, b, g\n}\n"
      "x = Placeholder() : float32[2]\nw = StatelessWhile(0, x, x, x) {cond=less, body=step} : int32, float32, float32, float32\n"
      "y = Neg(w:1)\nz = Identity(w:2)\n");
  Session session(graph);
  const ExecutableInfo info = session.Explain({"x"}, {"y", "z"});
  CHECK(info.report.find("hoist") != info.report.npos);
  CHECK(info.report.find("1 variable less, 1 tensor computed once") != info.report.npos);
  CHECK(info.report.find("invariant variable") != info.report.npos);
  CHECK(session.Run({{"x", {0., 0.}}}, "y").ToString() == "[-3. -3.]");
}

TEST_CASE("many threads run one loop, each its own") {
  const Graph graph = GraphFromText(kCounter);
  Session session(graph);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 50; ++k) {
        const int n = (t + k) % 6;
        const Tensors out = session.Run({{"n", n}, {"x", {float(t), 1.f}}}, {"y", "i"});
        if (out[0].data<float>()[0] != -float(t << n) || out[1].item<int>() != n) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

}  // namespace tandem
