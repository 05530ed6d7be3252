#include "core/variable.h"

#include <algorithm>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "core/context.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

[[noreturn, gnu::cold]] void ThrowUndefinedVariable() {
  ThrowError(absl::FailedPreconditionError("Variable: undefined (never assigned)"));
}

// The variables that live, by handle. An entry goes with the last Variable of its handle: the options' deleter sees to it.
struct LivingVariable {
  int64_t serial;
  std::weak_ptr<const VariableOptions> options;
  Shape shape;
  DType dtype;
};
struct Registry {
  std::mutex mutex;
  int64_t made = 0;
  absl::flat_hash_map<TensorRep*, LivingVariable> living;
};
Registry& AllVariables() {
  static Registry* registry = new Registry;
  return *registry;
}

std::shared_ptr<const VariableOptions> Register(VariableOptions options, const Tensor& handle, const Shape& shape, DType dtype) {
  Registry& all = AllVariables();
  std::shared_ptr<const VariableOptions> kept(new VariableOptions(std::move(options)), [rep = handle.rep()](const VariableOptions* p) {
    {
      Registry& registry = AllVariables();
      const std::lock_guard lock(registry.mutex);
      // An assignment lets go of the handle first: its address may be another variable's by now.
      const auto it = registry.living.find(rep);
      if (it != registry.living.end() && it->second.options.expired()) registry.living.erase(it);
    }
    delete p;
  });
  const std::lock_guard lock(all.mutex);
  all.living[handle.rep()] = {all.made++, kept, shape, dtype};
  return kept;
}

}  // namespace

Variable Variable::FromHandle(const Tensor& handle) {
  Variable v;
  if (!handle.defined()) return v;
  Registry& all = AllVariables();
  const std::lock_guard lock(all.mutex);
  const auto it = all.living.find(handle.rep());
  if (it == all.living.end()) return v;
  if ((v.options_ = it->second.options.lock())) {
    v.handle_ = handle;
    v.shape_ = it->second.shape;
    v.dtype_ = it->second.dtype;
  }
  return v;
}

std::vector<Variable> Variable::Living() {
  std::vector<std::pair<int64_t, Variable>> found;
  {
    Registry& all = AllVariables();
    const std::lock_guard lock(all.mutex);
    for (const auto& [rep, living] : all.living) {
      Variable v;
      // One that is being destroyed keeps its handle until its entry is gone; but its options are.
      if (!(v.options_ = living.options.lock())) continue;
      v.handle_ = Tensor::Share(rep);
      v.shape_ = living.shape;
      v.dtype_ = living.dtype;
      found.emplace_back(living.serial, std::move(v));
    }
  }
  std::ranges::sort(found, {}, [](const auto& entry) { return entry.first; });
  std::vector<Variable> variables;
  for (auto& [serial, v] : found) variables.push_back(std::move(v));
  return variables;
}

Variable::Variable(const Tensor& initial, VariableOptions options, Origin origin) {
  if (options.name.empty()) options.name = "Variable";
  dtype_ = initial.dtype();
  shape_ = options.validate_shape ? initial.shape() : Shape::Unknown();
  handle_ = Run(Op<"VarHandleOp">(), {},
                {std::string_view(""), std::string_view(options.name), std::string_view(""), dtype_, shape_, std::span<const std::string>()}, origin, options.name);
  if (options.trainable) handle_.rep()->tape_mark = kTrainableMark;
  options_ = Register(std::move(options), handle_, shape_, dtype_);
  const Tensor inputs[] = {handle_, initial};
  RunMany(Op<"AssignVariableOp">(), inputs, {options_->validate_shape}, origin);
}

const std::string& Variable::name() const {
  if (!options_) ThrowUndefinedVariable();
  return options_->name;
}
DType Variable::dtype() const { return dtype_; }
Shape Variable::shape() const {
  if (!options_) ThrowUndefinedVariable();
  return shape_;
}
bool Variable::trainable() const { return options_ && options_->trainable; }

Tensor Variable::Read(Origin origin) const {
  if (!options_) ThrowUndefinedVariable();
  return Run(Op<"ReadVariableOp">(), {handle_}, {dtype_}, origin);
}

Tensor Variable::Update(OpId op, const Operand& value, std::initializer_list<AttrRef> attrs) {
  if (!options_) ThrowUndefinedVariable();
  const Tensor inputs[] = {handle_, ToTensor(value, dtype_)};
  RunMany(op, inputs, attrs, value.origin());
  Tensor updated = Read(value.origin());
  if (SymbolicGraph* graph = GraphOf(updated)) graph->ReadAfterUpdate(updated.rep()->symbol().node);
  return updated;
}
Tensor Variable::Assign(Operand value) { return Update(Op<"AssignVariableOp">(), value, {options_ && options_->validate_shape}); }
Tensor Variable::AssignAdd(Operand value) { return Update(Op<"AssignAddVariableOp">(), value, {}); }
Tensor Variable::AssignSub(Operand value) { return Update(Op<"AssignSubVariableOp">(), value, {}); }

}  // namespace tandem
