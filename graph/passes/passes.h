// The passes, one file pair each would be half headers: their contracts stand here, in the order in which they run.
//
// Each takes a Rewriter that carries its name, leaves a graph that computes the same bits for every feed, and is
// near-linear in nodes. Feeds are barriers; stateful nodes, random ones and those with side effects are never merged,
// folded or dropped while a root needs them.
#pragma once
#include "graph/passes/rewriter.h"

namespace tandem {

struct Pass {
  std::string_view name;
  OptLevel level;      // the lowest that has it
  bool in_levels;      // false: only when enabled by name
  void (*run)(Rewriter& rw);
  std::string_view summary;
};
// In the order in which they run.
std::span<const Pass> AllPasses();

// Calls give way to the nodes of the functions they call, calls in those too, unless a function calls itself. A branch
// whose condition is constant is a call.
void InlineCalls(Rewriter& rw);

// Loops: variables that decide nothing go; what an iteration computes of variables that never change is computed once, in
// front of the loop, if it cannot fail (the loop may not run at all).
void SimplifyLoops(Rewriter& rw);

// Static shapes flow forward again: what a rewrite made known reaches all readers.
void InferShapes(Rewriter& rw);

// Nodes whose inputs are all constants run now, through the CPU kernels; the result becomes a Const of at most
// kMaxFoldedBytes, never larger than the inputs by more than that. A node that fails is left: its error is the run's.
void FoldConstants(Rewriter& rw);
inline constexpr int64_t kMaxFoldedBytes = 10 << 20;

// Equal pure nodes become one: op, inputs with output index, attributes bit for bit, device, control inputs.
// Commutative ops compare without the order of their first two inputs.
void MergeCommonSubexpressions(Rewriter& rw);

// Rules exact in IEEE arithmetic (algebra.cc has the table).
void Simplify(Rewriter& rw);
// Transposes, reshapes, slices and pads that move nothing go; pairs become one.
void EliminateLayout(Rewriter& rw);

// MatMul and Conv2D with bias, residual and activation become FusedMatMul and FusedConv2D.
void FuseContractions(Rewriter& rw);

// Clusters of elementwise ops become one FusedElementwise node each, which runs as one loop over memory.
void FuseElementwise(Rewriter& rw);

// ResourceApply* steps of one optimizer, independent of each other, become one FusedResourceApply node each.
void FuseUpdates(Rewriter& rw);

}  // namespace tandem
