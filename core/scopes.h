// What holds for every op recorded inside a block: a prefix of names, nodes that must run first, a device.
//
//   {
//     NameScope scope("encoder");                     // nodes are encoder/MatMul, encoder/Add, …
//     ControlDependencies after({loss, "init"});      // they run after loss's node and the node "init"
//     DeviceScope device("/cpu:0");
//     Tensor h = Relu(MatMul(x, w));
//   }
//
// Scopes nest, belong to the thread that made them and end in reverse order. Names and control inputs are of the graph
// whose GraphScope was innermost when the scope began: they do not reach into another graph, nor into host functions.
// Eagerly, names and control dependencies have no effect: ops run in program order.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// One entry of the thread's chain of scopes.
class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 protected:
  Scope();
  ~Scope();

 private:
  friend struct ScopeChain;
  const Scope* const outer_;

 protected:
  std::string prefix_;                      // ends in a slash
  std::string device_;
  std::vector<Tensor> control_tensors_;
  std::vector<std::string> control_nodes_;
  bool is_device_ = false, is_barrier_ = false, clears_controls_ = false;
};

class NameScope : public Scope {
 public:
  // Parts as node names have them, separated by slashes. INVALID_ARGUMENT for others and for none.
  explicit NameScope(std::string_view name);
};

// A node: by one of its outputs, or by its name.
struct ControlInput {
  ControlInput(const Tensor& t) : tensor(t) {}
  ControlInput(const char* node) : node(node) {}
  ControlInput(std::string node) : node(std::move(node)) {}
  Tensor tensor;
  std::string node;
};

class ControlDependencies : public Scope {
 public:
  // No entry at all lifts the dependencies of outer scopes for the block. INVALID_ARGUMENT for an undefined tensor.
  ControlDependencies(std::initializer_list<ControlInput> after);
  explicit ControlDependencies(const Tensors& after);
  explicit ControlDependencies(const std::vector<ControlInput>& after);
};

class DeviceScope : public Scope {
 public:
  // "/cpu:0", "cpu:0", "/job:localhost/replica:0/task:0/device:CPU:0" with any part missing, "" for none.
  // INVALID_ARGUMENT for other text.
  explicit DeviceScope(std::string_view device);
};

// Nothing of outer name scopes and control dependencies holds inside: GraphScope has one.
class ScopeBarrier : public Scope {
 public:
  ScopeBarrier() { is_barrier_ = true; }
};

// What the scopes of this thread say (internal).
struct ScopeChain {
  static std::string Prefix();  // of names: "" or "a/b/"
  static std::string_view Device();
  static void Controls(std::vector<Tensor>* tensors, std::vector<std::string>* nodes);
};

// Whether text names a device, by the rules of DeviceScope.
bool IsDeviceName(std::string_view text);
// Whether text may be a node's name: [A-Za-z0-9.][A-Za-z0-9_./-]*, and more such parts joined by '>'.
bool IsNodeName(std::string_view text);

}  // namespace tandem
TANDEM_EXPORT_END
