// Passes by their text: a graph in, a graph out, and the log that says why.
#include "graph/passes/passes.h"

#include <catch2/catch.hpp>

#include "graph/text.h"

namespace tandem {
namespace {

struct Rewritten {
  std::string text;
  EventLog log;
};

// Runs one pass by itself.
Rewritten RunPass(void (*pass)(Rewriter&), const std::string& before) {
  auto parsed = ParseGraphText(before);
  REQUIRE(parsed.ok());
  Rewritten out;
  GraphRoots roots;
  roots.fetches = parsed->fetches;
  roots.targets = parsed->targets;
  for (int32_t id = 0; id < parsed->graph.size(); ++id)
    if (parsed->graph.node(id).op == Op<"Placeholder">()) roots.feeds.push_back(id);
  NodeGraph replayed = parsed->graph;
  GraphRoots replayed_roots = roots;
  Rewriter rw(parsed->graph, roots, "pass", &out.log);
  pass(rw);
  rw.Compact();
  out.text = PrintGraph(parsed->graph, {.fetches = roots.fetches});
  // Replaying the log on the input gives the output, to the letter.
  REQUIRE(out.log.Replay(replayed, replayed_roots).ok());
  CHECK(PrintGraph(replayed, {.fetches = replayed_roots.fetches}) == out.text);
  return out;
}

std::string Canonical(const std::string& text) {
  auto parsed = ParseGraphText(text);
  REQUIRE(parsed.ok());
  return PrintGraph(parsed->graph, {.fetches = parsed->fetches});
}

struct Row {
  const char* name;
  void (*pass)(Rewriter&);
  const char *before, *after;  // after: null when nothing may change
};

const Row kRows[] = {
    {"a call gives way to what it calls", InlineCalls,
     "function square(x : float32) {\n  y = Mul(x, x)\n  return y\n}\nx = Placeholder() : float32[4]\ny = PartitionedCall(x) {f=square} : float32\nz = Neg(y)  # fetch\n",
     "x = Placeholder() : float32[4]\nz = Neg(y/y)  # fetch\ny/y = Mul(x, x)\n"},
    {"a call waits for what it waited for", InlineCalls,
     "function square(x : float32) {\n  y = Mul(x, x)\n  return y\n}\nx = Placeholder() : float32[4]\na = NoOp()\ny = PartitionedCall(x, ^a) {f=square} : float32  # fetch\n",
     "x = Placeholder() : float32[4]\na = NoOp()\ny/y = Mul(x, x, ^a)  # fetch\n"},
    {"a function that calls itself stays", InlineCalls,
     "function f(x : float32) {\n  y = PartitionedCall(x) {f=f} : float32\n  return y\n}\nx = Placeholder() : float32[4]\ny = PartitionedCall(x) {f=f} : float32\nz = Neg(y)  # target\n", nullptr},
    {"a constant condition is a call", InlineCalls,
     "function yes(x : float32) {\n  y = Exp(x)\n  return y\n}\nfunction no(x : float32) {\n  y = Neg(x)\n  return y\n}\n"
     "x = Placeholder() : float32[4]\ny = StatelessIf(false, x) {then_branch=yes, else_branch=no} : float32  # fetch\n",
     "x = Placeholder() : float32[4]\ny/no/y = Neg(x)  # fetch\n"},
    {"cse merges equal pure nodes", MergeCommonSubexpressions,
     "x = Placeholder() : float32[?,4]\na = Neg(x)\nb = Neg(x)\ny = AddV2(a, b)  # fetch\n",
     "x = Placeholder() : float32[?,4]\na = Neg(x)\ny = AddV2(a, a)  # fetch\n"},
    {"cse sees through a swap of commutative inputs", MergeCommonSubexpressions,
     "x = Placeholder() : float32[4]\nz = Placeholder() : float32[4]\na = Mul(x, z)\nb = Mul(z, x)\ny = Sub(a, b)  # fetch\n",
     "x = Placeholder() : float32[4]\nz = Placeholder() : float32[4]\na = Mul(x, z)\ny = Sub(a, a)  # fetch\n"},
    {"cse keeps Sub(x, z) and Sub(z, x) apart", MergeCommonSubexpressions,
     "x = Placeholder() : float32[4]\nz = Placeholder() : float32[4]\na = Sub(x, z)\nb = Sub(z, x)\ny = Mul(a, b)  # fetch\n", nullptr},
    {"multiply by one", Simplify, "x = Placeholder() : float32[4]\na = Mul(x, 1.)\ny = Neg(a)  # fetch\n",
     "x = Placeholder() : float32[4]\ny = Neg(x)  # fetch\n"},
    {"one that grows the shape stays", Simplify, "x = Placeholder() : float32[4]\na = Mul(x, [[1.,1.,1.,1.],[1.,1.,1.,1.]])\ny = Neg(a)  # fetch\n", nullptr},
    {"multiply by zero stays", Simplify, "x = Placeholder() : float32[4]\na = Mul(x, 0.)\ny = Neg(a)  # fetch\n", nullptr},
    {"adding +0 to a float stays: -0 + 0 is 0", Simplify, "x = Placeholder() : float32[4]\na = AddV2(x, 0.)\ny = Neg(a)  # fetch\n", nullptr},
    {"subtract zero", Simplify, "x = Placeholder() : float32[4]\na = Sub(x, 0.)\ny = Exp(a)  # fetch\n",
     "x = Placeholder() : float32[4]\ny = Exp(x)  # fetch\n"},
    {"double negation", Simplify, "x = Placeholder() : float32[4]\na = Neg(x)\nb = Neg(a)\ny = Exp(b)  # fetch\n",
     "x = Placeholder() : float32[4]\ny = Exp(x)  # fetch\n"},
    {"double reciprocal stays: it rounds", Simplify, "x = Placeholder() : float32[4]\na = Reciprocal(x)\nb = Reciprocal(a)\ny = Exp(b)  # fetch\n", nullptr},
    {"reshape to itself", EliminateLayout, "x = Placeholder() : float32[2,3]\na = Reshape(x, [2,3])\ny = Exp(a)  # fetch\n",
     "x = Placeholder() : float32[2,3]\ny = Exp(x)  # fetch\n"},
    {"reshape of unknown batch stays", EliminateLayout, "x = Placeholder() : float32[?,3]\na = Reshape(x, [-1,3])\ny = Exp(a)  # fetch\n", nullptr},
};

}  // namespace

TEST_CASE("passes rewrite what they should and nothing else") {
  for (const Row& row : kRows) {
    INFO(row.name);
    const Rewritten out = RunPass(row.pass, row.before);
    CHECK(out.text == Canonical(row.after ? row.after : row.before));
    bool rewrote = false;
    for (const Event& e : out.log.events) rewrote |= !e.near_miss && !e.before.empty();
    CHECK(rewrote == (row.after != nullptr));
  }
}

TEST_CASE("constants fold and errors are left to the run") {
  const Rewritten out = RunPass(FoldConstants, "x = Placeholder() : float32[2]\na = AddV2([1.,2.], [3.,4.])\ny = Mul(x, a)  # fetch\n");
  CHECK(out.text.find("[4.,6.]") != std::string::npos);
  CHECK(out.text.find("AddV2") == std::string::npos);
  const Rewritten failing = RunPass(FoldConstants, "a = FloorDiv([1,2], [1,0])  # fetch\n");
  CHECK(failing.text.find("FloorDiv") != std::string::npos);
}

TEST_CASE("elementwise clusters become one node, fetched inner nodes stay") {
  const Rewritten out = RunPass(FuseElementwise, "x = Placeholder() : float32[8]\na = Mul(x, x)\nb = Exp(a)\nc = AddV2(b, x)  # fetch\n");
  CHECK(out.text.find("FusedElementwise") != std::string::npos);
  CHECK(out.text.find("Exp(") == std::string::npos);
  const Rewritten fetched = RunPass(FuseElementwise, "x = Placeholder() : float32[8]\na = Mul(x, x)  # fetch\nb = Exp(a)  # fetch\n");
  CHECK(fetched.text.find("FusedElementwise") == std::string::npos);
  CHECK(fetched.log.ToText().find("also fetched") != std::string::npos);
}

TEST_CASE("the optimiser visits nodes near-linearly") {
  const auto rewrites = [](int n) {
    std::string text = "x = Placeholder() : float32[4]\n";
    std::string last = "x";
    for (int i = 0; i < n; ++i) {
      const std::string a = "a" + std::to_string(i), b = "b" + std::to_string(i), c = "c" + std::to_string(i);
      text += a + " = Neg(" + last + ")\n" + b + " = Neg(" + last + ")\n" + c + " = Maximum(" + a + ", " + b + ")\n";
      last = c;
    }
    text += "y = Exp(" + last + ")  # fetch\n";
    return RunPass(MergeCommonSubexpressions, text).log.events.size();
  };
  CHECK(rewrites(400) <= 11 * rewrites(40));
}

}  // namespace tandem
