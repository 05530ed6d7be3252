// Variable: a handle to mutable storage that works in both modes. Copies share the storage, which goes with the last
// handle.
//
//   Variable w({{1.0}});
//   w.AssignAdd({{0.5}});
//   Tensor y = MatMul(x, w);     // reads it
//
// Under a GraphScope an eager variable is captured: the graph shares its storage. A variable made there is a
// VarHandleOp; its initializer runs with Graph's global initializer.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/export.h"
#include "core/operand.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

enum class OpId : uint16_t;
class AttrRef;

struct VariableOptions {
  std::string name;        // "Variable" when empty; unique in a graph
  bool trainable = true;   // watched by tapes of their own accord
  bool validate_shape = true;  // false: later assignments may change the shape
};

class Variable {
 public:
  Variable() = default;  // undefined
  explicit Variable(const Tensor& initial, VariableOptions options = {}, Origin origin = Here());
  template <Leaf T>
  explicit Variable(const T& scalar, VariableOptions options = {}, Origin origin = Here())
      : Variable(Tensor(scalar), std::move(options), origin) {}
  template <Leaf T>
  explicit Variable(std::initializer_list<T> v, VariableOptions options = {}, Origin origin = Here())
      : Variable(Tensor(v), std::move(options), origin) {}
  template <Leaf T>
  explicit Variable(std::initializer_list<std::initializer_list<T>> v, VariableOptions options = {}, Origin origin = Here())
      : Variable(Tensor(v), std::move(options), origin) {}
  template <Leaf T>
  explicit Variable(std::initializer_list<std::initializer_list<std::initializer_list<T>>> v, VariableOptions options = {},
                    Origin origin = Here())
      : Variable(Tensor(v), std::move(options), origin) {}

  bool defined() const { return handle_.defined(); }
  const std::string& name() const;
  DType dtype() const;
  Shape shape() const;  // as declared
  bool trainable() const;

  // The value. FAILED_PRECONDITION before initialization.
  Tensor Read(Origin origin = Here()) const;
  operator Tensor() const { return Read(Origin()); }
  std::string ToString() const { return Read().ToString(); }
  template <class T>
  T item() const {
    return Read().item<T>();
  }

  // Take the variable's dtype for scalars; give the new value. In a graph: the tensor read after the assignment.
  Tensor Assign(Operand value);
  Tensor AssignAdd(Operand value);
  Tensor AssignSub(Operand value);
  template <Leaf T> Tensor Assign(std::initializer_list<T> v) { return Assign(Tensor(v)); }
  template <Leaf T> Tensor AssignAdd(std::initializer_list<T> v) { return AssignAdd(Tensor(v)); }
  template <Leaf T> Tensor AssignSub(std::initializer_list<T> v) { return AssignSub(Tensor(v)); }
  template <Leaf T> Tensor Assign(std::initializer_list<std::initializer_list<T>> v) { return Assign(Tensor(v)); }
  template <Leaf T> Tensor AssignAdd(std::initializer_list<std::initializer_list<T>> v) { return AssignAdd(Tensor(v)); }
  template <Leaf T> Tensor AssignSub(std::initializer_list<std::initializer_list<T>> v) { return AssignSub(Tensor(v)); }

  const Tensor& handle() const { return handle_; }  // the resource tensor
  // The living variable with this handle; undefined when there is none.
  static Variable FromHandle(const Tensor& handle);
  // Those that live in this process now, in the order of making: eager ones and those of graphs.
  static std::vector<Variable> Living();

 private:
  Tensor Update(OpId op, const Operand& value, std::initializer_list<AttrRef> attrs);
  Tensor handle_;
  std::shared_ptr<const VariableOptions> options_;
  Shape shape_;
  DType dtype_ = DType::kInvalid;
};

}  // namespace tandem
TANDEM_EXPORT_END
