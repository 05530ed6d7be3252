#include "core/variable.h"

#include "core/context.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

[[noreturn, gnu::cold]] void ThrowUndefinedVariable() {
  ThrowError(absl::FailedPreconditionError("Variable: undefined (never assigned)"));
}

}  // namespace

Variable::Variable(const Tensor& initial, VariableOptions options, Origin origin) {
  if (options.name.empty()) options.name = "Variable";
  dtype_ = initial.dtype();
  shape_ = options.validate_shape ? initial.shape() : Shape::Unknown();
  handle_ = Run(Op<"VarHandleOp">(), {},
                {std::string_view(""), std::string_view(options.name), std::string_view(""), dtype_, shape_, std::span<const std::string>()}, origin, options.name);
  if (options.trainable) handle_.rep()->tape_mark = kTrainableMark;
  options_ = std::make_shared<const VariableOptions>(std::move(options));
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
