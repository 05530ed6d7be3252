// What core knows of a graph: enough for a symbolic tensor to name itself. graph/ implements it.
#pragma once
#include <optional>
#include <string>

#include "core/device_memory.h"
#include "core/infer.h"
#include "core/resource.h"
#include "core/tensor.h"

namespace tandem {

class SymbolicGraph : public ResourceBase {
 public:
  std::string_view kind() const override { return "graph"; }
  // "dense/MatMul:0".
  virtual std::string TensorName(int node, int output) const = 0;
  // Where the node was made; null when unknown.
  virtual Origin NodeOrigin(int node) const = 0;
  // The device its node asks for.
  virtual std::string NodeDevice(int node) const { return ""; }
  // The value of a Const node's output; undefined for others.
  virtual Tensor ConstantValue(int node, int output) const { return {}; }
  // The data inputs of a node that is a call of this op; nothing for other nodes.
  virtual std::optional<Tensors> InputsOfNode(int node, OpId op) { return std::nullopt; }
  // What Gradients of graph/graph.h does, for ys of this graph: how objects that work in both modes differentiate.
  virtual absl::StatusOr<Tensors> GradientsOf(const Tensors& ys, const Tensors& xs) { return absl::UnimplementedError("no gradients here"); }
  // The name of the node recorded last that changes the variable behind a handle, which may be an eager one; "": none.
  virtual std::string LastUpdateOf(const Tensor& handle) { return ""; }
  // What the variable of this graph with that handle is initialized with; undefined when nothing is.
  virtual Tensor InitialValueOf(const Tensor& handle) { return {}; }
  // Makes `read`, a node that reads a variable, wait for the variable's update recorded last.
  virtual void ReadAfterUpdate(int read) {}
};

// The graph a symbolic tensor belongs to. A stub that only carries dtype and shape (a tape's, where a gradient does not
// read the value) has none.
inline SymbolicGraph* GraphOf(const Tensor& t) { return t.symbolic() ? static_cast<SymbolicGraph*>(t.rep()->symbol().graph) : nullptr; }

// What is known of a tensor's value while a graph is built: the tensor itself (on the host) when it has one, a Const node's value, else
// undefined.
inline Tensor KnownValue(const Tensor& t) {
  if (!t.symbolic()) return OnHost(t);
  const SymbolicGraph* graph = GraphOf(t);
  return graph ? graph->ConstantValue(t.rep()->symbol().node, t.rep()->symbol().output) : Tensor();
}

// FAILED_PRECONDITION: "OP: x is the symbolic tensor "a:0", which has no value here: …".
[[gnu::cold]] absl::Status NoValueError(std::string_view op, std::string_view argument, const TensorRep& rep);

}  // namespace tandem
