// Functions of a graph: bodies of conditionals and loops, called subgraphs. Import, recording and passes add them.
//
//   std::shared_ptr<const GraphFunction> f = library.Find("square");
//   f->body.node(f->args[0]);             // an _Arg node
//
// A library only grows, and a function never changes once it is in one, so any number of threads may read.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "graph/node_graph.h"

namespace tandem::proto {
class FunctionDef;
}

namespace tandem {

struct GraphFunction {
  std::string name;
  NodeGraph body;                        // its arguments are _Arg nodes
  std::vector<int32_t> args;
  std::vector<TensorId> results;
  std::vector<int32_t> control_results;  // nodes that run although no result needs them
  std::vector<DType> arg_types, result_types;
  std::vector<std::string> result_names, control_names;  // as the signature spells them
  std::vector<int32_t> order;            // of the body, topological
  bool stateful = false;                 // has state or side effects, in functions it calls too
  bool has_random = false;               // draws random numbers, likewise
  uint64_t traced_from = 0;              // the GraphState that it was traced in, whose node ids are the body's
  std::string source;                    // of a derived one: what errors and traces call it
  bool derived = false;                  // made by a pass: saved only with a graph whose nodes call it
  absl::Status problem;                  // why it cannot run (an op that is not here, a generic signature)
  std::shared_ptr<const proto::FunctionDef> message;  // as it was read, to be saved again; null when recorded
};

class FunctionLibrary {
 public:
  // With a base, what is not here is looked for there: for functions that may not join it in the end. It outlives this.
  explicit FunctionLibrary(const FunctionLibrary* base = nullptr) : base_(base) {}

  // Null when there is none.
  std::shared_ptr<const GraphFunction> Find(std::string_view name) const;
  // NOT_FOUND, or what is wrong with it.
  absl::StatusOr<std::shared_ptr<const GraphFunction>> Get(std::string_view name) const;
  // Adds all or none, settled. ALREADY_EXISTS for a name that another function has. Bodies call this library's functions
  // from then on.
  absl::Status Add(std::vector<std::shared_ptr<GraphFunction>> functions);
  // Works out what functions that are not added yet have from those they call, each other too: state, problems.
  void Settle(std::span<const std::shared_ptr<GraphFunction>> functions) const;
  // A name that no function has and that no caller of this got before.
  std::string UniqueName(std::string_view base);
  // In the order they came.
  std::vector<std::shared_ptr<const GraphFunction>> All() const;
  bool empty() const;

 private:
  const FunctionLibrary* const base_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<const GraphFunction>, std::less<>> functions_;
  std::vector<std::shared_ptr<const GraphFunction>> order_;
  std::set<std::string, std::less<>> taken_;  // names that were promised
};

// Whether an op has functions among its attributes.
bool CallsFunctions(const OpSchema& schema);
// The functions that a node names in its attributes, in schema order.
std::vector<FuncAttr> FunctionsOf(const Node& node);

// The functions that nodes call, and those that these call.
std::set<std::string> ReachableFunctions(const NodeGraph& graph, const FunctionLibrary& library);

// What a function gives for arguments of which this much is known. Never fails: where the body's inference does, little is
// known. depth: of calls, bounded.
std::vector<InferOutput> InferResults(const GraphFunction& function, std::span<const InferInput> args, int depth = 0);

// After the op's own inference: the functions are there, take what the op passes, give what it says, and agree with each
// other; outputs get the shapes that the bodies give. NOT_FOUND, INVALID_ARGUMENT "If: then_branch "f" …". Does nothing for
// other ops. library may be null: then a call is NOT_FOUND.
absl::Status InferCall(const FunctionLibrary* library, InferContext& inferred, int depth = 0);

}  // namespace tandem
