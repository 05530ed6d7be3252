// NodeGraph: the in-memory form of a graph, for recording, import, passes and planning.
//
//   NodeGraph g;
//   int32_t x = g.Add(Op<"Placeholder">(), "x");        // dense ids, in the order of adding
//   g.node(y).inputs = {{x, 0}};
//   Fanout fanout(g);                                   // who reads node x
//
// Plain data: no locks, no validation, no recursion over depth (a chain of a million nodes is ordinary). Who fills it
// from outside validates (graph/import.h); who records goes through GraphState. Copies share the names' memory.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/attr.h"
#include "core/infer.h"
#include "core/op.h"
#include "core/origin.h"

namespace tandem {

// Output `output` of node `node`.
struct TensorId {
  int32_t node = -1;
  int32_t output = 0;
  friend bool operator==(TensorId, TensorId) = default;
  template <class H>
  friend H AbslHashValue(H h, TensorId t) {
    return H::combine(std::move(h), t.node, t.output);
  }
};

struct NodeOutput {
  DType dtype = DType::kInvalid;
  Shape shape = Shape::Unknown();
};

// What few nodes have.
struct NodeExtra {
  std::string device;
  // Attributes that the op's schema does not know (`_class`, `_output_shapes`, a newer writer's): name and the
  // serialized AttrValue message, sorted by name; kept on export.
  std::vector<std::pair<std::string, std::string>> other_attrs;
  std::string debug_info;            // serialized NodeDef.ExperimentalDebugInfo and full type, kept on export
  std::vector<Origin> forward;       // for gradient and fused nodes: the forward ops they stem from
  std::vector<std::string> sources;  // for nodes a pass made: names of the nodes they replace
  Tensor captured;                   // of a captured eager variable's VarHandleOp: the handle whose storage is shared
  bool function_as_op = false;       // a call that the file spells with the function's name as its op
  std::vector<HandleInfo> handles;   // of resource outputs, by output; empty when unknown
};

struct Node {
  std::string_view name;  // lies in the graph's NameArena
  OpId op = OpId::kInvalid;
  absl::InlinedVector<TensorId, 2> inputs;   // data inputs, flat
  absl::InlinedVector<int32_t, 1> controls;  // nodes that must have run before
  absl::InlinedVector<AttrValue, 1> attrs;   // the explicit ones, all of them, in schema order
  absl::InlinedVector<NodeOutput, 1> outputs;
  Origin origin;
  std::shared_ptr<const NodeExtra> extra;    // null for most; replaced, never written through

  const OpSchema& schema() const { return GetOp(op); }
  std::string_view device() const { return extra ? std::string_view(extra->device) : std::string_view(); }
  // Borrowed while the node's attrs stay.
  absl::InlinedVector<AttrRef, 4> attr_refs() const {
    absl::InlinedVector<AttrRef, 4> refs;
    for (const AttrValue& a : attrs) refs.push_back(a.ref());
    return refs;
  }
  // The explicit attribute of that name; none when there is no such.
  AttrRef attr(AttrName attr_name) const {
    const int i = schema().FindAttr(attr_name.hash);
    if (i < 0 || schema().attrs()[i].explicit_index < 0) return AttrRef();
    return attrs[schema().attrs()[i].explicit_index].ref();
  }
};

// Where names live: appended to, never moved or freed before the last graph that refers to it.
class NameArena {
 public:
  std::string_view Add(std::string_view name);

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t left_ = 0;
  char* next_ = nullptr;
};

class FunctionLibrary;

class NodeGraph {
 public:
  // Whose functions the nodes call; null: none. It outlives the graph.
  const FunctionLibrary* library() const { return library_; }
  void set_library(const FunctionLibrary* library) { library_ = library; }

  int32_t size() const { return static_cast<int32_t>(nodes_.size()); }
  Node& node(int32_t id) { return nodes_[id]; }
  const Node& node(int32_t id) const { return nodes_[id]; }
  std::span<const Node> nodes() const { return nodes_; }
  void Reserve(int32_t n) { nodes_.reserve(n); }
  // A node without inputs, attributes and outputs. The caller sees to it that the name is unique. The name is copied.
  int32_t Add(OpId op, std::string_view name);
  // A copy of a node of the graph that this one is an (empty) copy of, inputs as they are.
  int32_t AddCopy(const Node& node);
  // An empty graph that keeps this one's names alive, to which its nodes may be copied.
  NodeGraph EmptyCopy() const;
  const NodeOutput& output(TensorId t) const { return nodes_[t.node].outputs[t.output]; }
  // "name:0".
  std::string TensorName(TensorId t) const;

  // Inputs of a node for inference: dtypes and shapes of what it reads, the values of Const producers, handles.
  absl::InlinedVector<InferInput, 4> InferInputs(const Node& node) const;
  // Runs inference on node id and stores its outputs. The error names the node.
  absl::Status InferNode(int32_t id);

  // The same for a node that is not in the graph (yet) but reads from it.
  // call_depth: of function bodies that inference is in already.
  absl::Status Infer(Node& node, int call_depth = 0) const;
  // What an inference that ran says, as the node's outputs.
  static void StoreOutputs(InferContext& inferred, Node& node);
  // Name memory that lives as long as the graph, for a node made outside of Add.
  std::string_view AddName(std::string_view name) { return names_.Add(name); }
  // The attributes of a Const with this value.
  static absl::InlinedVector<AttrValue, 1> ConstAttrs(const Tensor& value);
  // Drops nodes and renumbers: keep[id] is the new id, ascending, -1 for what goes. Nothing that stays may read what goes.
  void Keep(std::span<const int32_t> keep);

  // Ids so that every node comes after its inputs and controls. INVALID_ARGUMENT names the nodes of a cycle.
  absl::StatusOr<std::vector<int32_t>> TopologicalOrder() const;

 private:
  // An arena to append to, and those that copied nodes' names lie in. A copy appends to a new one: two graphs never
  // write to the same arena.
  class Names {
   public:
    Names() : own_(std::make_shared<NameArena>()) {}
    Names(const Names& other);
    Names(Names&&) = default;
    Names& operator=(Names other) {
      own_.swap(other.own_);
      borrowed_.swap(other.borrowed_);
      return *this;
    }
    std::string_view Add(std::string_view name) { return own_->Add(name); }

   private:
    std::shared_ptr<NameArena> own_;
    std::vector<std::shared_ptr<const NameArena>> borrowed_;
  };
  Names names_;
  std::vector<Node> nodes_;
  const FunctionLibrary* library_ = nullptr;
};

// Who reads what, as one flat array: built in linear time, stale after any change.
class Fanout {
 public:
  struct Use {
    int32_t node;   // the reader
    int32_t input;  // its input position; -1 for a control edge
    int32_t output; // which output it reads; -1 for a control edge
  };
  explicit Fanout(const NodeGraph& graph);
  std::span<const Use> uses(int32_t node) const { return {uses_.data() + start_[node], static_cast<size_t>(start_[node + 1] - start_[node])}; }

 private:
  std::vector<int32_t> start_;
  std::vector<Use> uses_;
};

}  // namespace tandem
