// From C++ callables to functions of the current graph's library: how Cond, While and gradients of functions are built.
//
//   if (FunctionTracer* tracer = CurrentFunctionTracer()) {
//     TracedFunctions traced = tracer->Trace({{.name = "then", .like = inputs, .function = then},
//                                             {.name = "else", .like = inputs, .function = otherwise}});
//     Tensors args = inputs; args.insert(args.end(), traced.captures.begin(), traced.captures.end());
//     RunMany(Op<"If">(), …, {dtypes, traced.functions[0].func, traced.functions[1].func, traced.functions[0].shapes});
//   }
//
// A callable may read tensors from outside: those of the graphs around it and handles of eager variables become further
// arguments, the same list for all functions traced together; eager values become constants in the body. While it is
// traced, ops with state are ordered as the program runs them: a read after an assignment sees it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/attr.h"
#include "core/context.h"
#include "core/tensor.h"

namespace tandem {

struct FunctionToTrace {
  std::string name;   // made unique in the library
  Tensors like;       // one for each argument: its dtype, and its shape unless shapes says another; symbolic or not
  std::vector<Shape> shapes = {};  // of the arguments; empty: those of `like`
  std::function<Tensors(const Tensors& args)> function;
  bool returns_captures = false;   // gives back the captured arguments behind its own results: a loop's body
};

struct TracedFunction {
  FuncAttr func;
  std::vector<DType> dtypes;   // of the results, captures included where they are returned
  std::vector<Shape> shapes;
  bool stateful = false;       // has ops with state or side effects: needs If rather than StatelessIf
};

struct TracedFunctions {
  std::vector<TracedFunction> functions;  // each takes its own arguments, then one for each capture
  Tensors captures;                       // as the caller's graph knows them
};

class FunctionTracer {
 public:
  virtual ~FunctionTracer() = default;
  // Throws what a callable throws; Error INVALID_ARGUMENT for an undefined result. The library then has none of them.
  virtual TracedFunctions Trace(const std::vector<FunctionToTrace>& functions) = 0;
  // The nodes of a library function's body once more, in the current graph, on these arguments. INVALID_ARGUMENT when
  // they do not fit, NOT_FOUND.
  virtual Tensors Inline(const FuncAttr& function, const Tensors& args) = 0;
  // What Gradients does, for ys of this graph or one around it: with ys of a graph around it, the nodes are made here, and
  // what they read of the forward pass is captured. dys: undefined entries are ones.
  virtual Tensors GradientsOf(const Tensors& ys, const Tensors& xs, const Tensors& dys) = 0;
  // Dtypes and shapes of a library function's results, for arguments of these shapes (unknown ones allowed).
  virtual std::vector<std::pair<DType, Shape>> ResultsOf(const FuncAttr& function, const std::vector<Shape>& args) = 0;
  // Whether a library function has ops with state or side effects, in functions it calls too.
  virtual bool IsStateful(const FuncAttr& function) = 0;
  // Dtypes of a library function's arguments.
  virtual std::vector<DType> ArgumentsOf(const FuncAttr& function) = 0;
};

// Of the graph that ops of this thread are recorded into; null when they run.
FunctionTracer* CurrentFunctionTracer();

}  // namespace tandem
