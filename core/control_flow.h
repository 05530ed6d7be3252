// Conditions and loops on the values of tensors, in both modes.
//
//   Tensor y = Cond(x < 0, [&] { return -x; }, [&] { return Sqrt(x); });
//   Tensors r = While([&](Tensor i, Tensor s) { return i < n; },
//                     [&](Tensor i, Tensor s) { return Tensors{i + 1, s + x[0]}; }, {0, 0.f}, {.maximum_iterations = 100});
//   Tensor squares = Map([](Tensor row) { return row * row; }, matrix);
//   Tensor running = Scan([](Tensor sum, Tensor row) { return sum + row; }, matrix, Zeros({3}));
//
// Eagerly they call the functions. In a graph each function is traced once, into a function of the graph's library, and
// an op that calls it is recorded (StatelessIf, StatelessWhile, …; If, While, … when there are ops with state inside); tensors and
// variables that a function reads from outside become its arguments. Differentiable in both modes: a loop in a graph keeps
// one tensor an iteration for each value that its gradient reads (memory is linear in the iterations; what does not
// change in the loop is kept once), and Recompute (eager/recompute.h) trades that for time.
//
// Errors, INVALID_ARGUMENT, name the function and the argument: a condition that is no scalar bool; a loop variable whose
// dtype or shape the body changes; branches that give different numbers or dtypes of tensors; calls nested without end.
// What a function throws comes out as it is, and leaves the graph as it was.
#pragma once
#include <concepts>
#include <functional>
#include <utility>
#include <vector>

#include "core/export.h"
#include "core/ops/host_function.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct WhileOptions {
  int64_t maximum_iterations = -1;     // -1: no limit
  int64_t parallel_iterations = 10;    // a hint to runtimes that read the graph
  std::vector<Shape> shape_invariants = {};  // what the shape of each loop variable keeps to; empty: that it has at first
};
struct MapOptions {
  int64_t parallel_iterations = 10;
};

namespace control_flow {

using Branch = std::function<Tensors()>;
using Function = std::function<Tensors(const Tensors&)>;

Tensors RunCond(const Tensor& pred, const Branch& then_branch, const Branch& else_branch, Origin origin);
Tensors RunCase(const Tensor& index, const std::vector<Branch>& branches, Origin origin);
Tensors RunWhile(const Function& cond, const Function& body, const Tensors& loop_vars, const WhileOptions& options, Origin origin);
Tensors RunMap(const Function& fn, const Tensors& elems, const MapOptions& options, Origin origin);
enum class Order { kForward, kBackward };
// Folds; where `all` is asked for, the accumulator after each step, stacked.
Tensors RunFold(const Function& fn, const Tensors& elems, const Tensors& initializer, Order order, bool all, Origin origin);

template <class F>
Branch MakeBranch(F& branch) {
  return [&branch] { return host_function::List(branch()); };
}
template <class F>
inline constexpr bool kGivesOne = !std::same_as<std::remove_cvref_t<F>, Tensors>;
// Tensor where the function gives one, else Tensors.
template <class R>
auto Shaped(Tensors results) {
  if constexpr (kGivesOne<R>) return Tensor(std::move(results[0]));
  else return results;
}

}  // namespace control_flow

// then_branch() if pred, a scalar bool, else else_branch(): callables that give a Tensor, or both Tensors.
template <std::invocable Then, std::invocable Else>
auto Cond(const Tensor& pred, Then&& then_branch, Else&& else_branch, Origin origin = Here()) {
  using R = std::invoke_result_t<Then&>;
  static_assert(control_flow::kGivesOne<R> == control_flow::kGivesOne<std::invoke_result_t<Else&>>, "one branch gives Tensors, the other a Tensor");
  return control_flow::Shaped<R>(control_flow::RunCond(pred, control_flow::MakeBranch(then_branch), control_flow::MakeBranch(else_branch), origin));
}

// The branch of that index, an int32 scalar; the last one when there is no such.
inline Tensors Case(const Tensor& index, const std::vector<std::function<Tensors()>>& branches, Origin origin = Here()) {
  return control_flow::RunCase(index, branches, origin);
}
Tensor Case(const Tensor& index, const std::vector<std::function<Tensor()>>& branches, Origin origin = Here());

// loop_vars = body(loop_vars) as long as cond(loop_vars), a scalar bool. Callables of as many Tensors, or of one Tensors;
// the body gives as many as it takes.
template <class C, class B>
Tensors While(C&& cond, B&& body, const Tensors& loop_vars, const WhileOptions& options = {}, Origin origin = Here()) {
  return control_flow::RunWhile(host_function::Make(std::ref(cond)), host_function::Make(std::ref(body)), loop_vars, options, origin);
}

// fn of each slice of elems along its first axis, stacked: [n, ...] -> [n, ...]. Of several, the slices with one index
// together. INVALID_ARGUMENT when elems are empty of axes or their first ones differ.
template <class F>
Tensors Map(F&& fn, const Tensors& elems, const MapOptions& options = {}, Origin origin = Here()) {
  return control_flow::RunMap(host_function::Make(std::ref(fn)), elems, options, origin);
}
template <class F>
Tensor Map(F&& fn, const Tensor& elems, const MapOptions& options = {}, Origin origin = Here()) {
  return control_flow::RunMap(host_function::Make(std::ref(fn)), {elems}, options, origin)[0];
}

// accumulator = fn(accumulator, slice) over the slices of elems, from initializer on: the last accumulator (Foldl, and
// from the last slice to the first, Foldr), or all of them, stacked (Scan). The accumulator keeps its shape and dtype.
template <class F>
Tensor Foldl(F&& fn, const Tensor& elems, const Tensor& initializer, Origin origin = Here()) {
  return control_flow::RunFold(host_function::Make(std::ref(fn)), {elems}, {initializer}, control_flow::Order::kForward, false, origin)[0];
}
template <class F>
Tensor Foldr(F&& fn, const Tensor& elems, const Tensor& initializer, Origin origin = Here()) {
  return control_flow::RunFold(host_function::Make(std::ref(fn)), {elems}, {initializer}, control_flow::Order::kBackward, false, origin)[0];
}
template <class F>
Tensor Scan(F&& fn, const Tensor& elems, const Tensor& initializer, Origin origin = Here()) {
  return control_flow::RunFold(host_function::Make(std::ref(fn)), {elems}, {initializer}, control_flow::Order::kForward, true, origin)[0];
}
// Several accumulators, or several elems: fn takes the accumulators, then the slices.
template <class F>
Tensors Scan(F&& fn, const Tensors& elems, const Tensors& initializer, Origin origin = Here()) {
  return control_flow::RunFold(host_function::Make(std::ref(fn)), elems, initializer, control_flow::Order::kForward, true, origin);
}

}  // namespace tandem
TANDEM_EXPORT_END
