#include "eager/train/optimizer.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "core/context.h"
#include "core/indexed_slices.h"
#include "core/ops/cast.h"
#include "core/ops/fill.h"
#include "core/ops/plumbing.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"
#include "core/ops/unique.h"
#include "core/scopes.h"
#include "core/symbolic.h"
#include "eager/gradient_tape.h"
#include "eager/train/fused_update.h"

namespace tandem::train {
namespace {

std::string Describe(const Tensor& t) { return absl::StrCat(std::string(DTypeName(t.dtype())), t.shape().ToString()); }
std::string Describe(const Variable& v) { return absl::StrCat("variable \"", v.name(), "\" is ", std::string(DTypeName(v.dtype())), v.shape().ToString()); }

// Whatever is being recorded, what happens in this scope happens now: eager variables stay eager in a graph's optimizer.
std::unique_ptr<ContextScope> EagerUnless(bool symbolic) { return symbolic ? nullptr : std::make_unique<ContextScope>(nullptr); }

// A ResourceApply* op's inputs: handles, then the scalars with the gradient where the op wants it.
OpId Arrange(std::string_view name, const Variable& variable, std::span<const Variable> slots, std::span<const Tensor> scalars,
             std::initializer_list<Tensor> gradient, Tensors* inputs) {
  const OpId op = FindOp(name);
  if (op == OpId::kInvalid) ThrowError(absl::InternalError(absl::StrCat("optimizer: there is no op ", Absl(name))));
  inputs->push_back(variable.handle());
  for (const Variable& slot : slots) inputs->push_back(slot.handle());
  size_t next = 0;
  const auto& args = GetOp(op).inputs();
  for (size_t i = inputs->size(); i < args.size(); ++i) {
    if (args[i].name == "grad" || args[i].name == "delta") {
      inputs->insert(inputs->end(), gradient.begin(), gradient.end());
      i += gradient.size() - 1;
    } else {
      inputs->push_back(scalars[next++]);
    }
  }
  return op;
}

void Call(OpId op, const Tensors& inputs, bool flag) {
  if (GetOp(op).num_explicit_attrs() == 1) RunMany(op, inputs, {false});
  else RunMany(op, inputs, {false, flag});
}

}  // namespace

struct Optimizer::Impl {
  std::vector<SlotSpec> specs;
  absl::flat_hash_map<const TensorRep*, std::vector<Variable>> slots;  // by the variable's handle, which state() keeps alive
  std::vector<Variable> states;
  std::vector<std::pair<DType, Step>> steps;                           // of the step being made
  std::vector<std::pair<DType, FusedUpdate>> fused;

  const Step& StepFor(Optimizer& optimizer, DType dtype) {
    for (const auto& [d, step] : steps)
      if (d == dtype) return step;
    return steps.emplace_back(dtype, optimizer.PrepareStep(dtype)).second;
  }
  FusedUpdate& FusedFor(DType dtype) {
    for (auto& [d, update] : fused)
      if (d == dtype) return update;
    return fused.emplace_back(dtype, FusedUpdate()).second;
  }
};

std::span<const Tensor> Optimizer::Step::used() const {
  size_t n = 0;
  while (n < scalars.size() && scalars[n].defined()) ++n;
  return {scalars.data(), n};
}

Optimizer::Optimizer(std::string name, std::vector<SlotSpec> slots) : name_(std::move(name)), impl_(std::make_unique<Impl>()) {
  impl_->specs = std::move(slots);
}
Optimizer::Optimizer(Optimizer&&) = default;
Optimizer::~Optimizer() = default;

std::vector<Variable> Optimizer::slots(const Variable& variable) const {
  const auto it = impl_->slots.find(variable.handle().rep());
  return it == impl_->slots.end() ? std::vector<Variable>() : it->second;
}

Variable Optimizer::MakeState(std::string_view name, const Tensor& initial, bool symbolic) {
  const auto eager = EagerUnless(symbolic);
  ControlDependencies none({});
  Variable made(initial, {.name = std::string(name), .trainable = false});
  state()->Add(name, made);
  impl_->states.push_back(made);
  return made;
}

void Optimizer::MakeSlots(const Variable& variable) {
  auto [it, added] = impl_->slots.try_emplace(variable.handle().rep());
  if (!added) return;
  const auto eager = EagerUnless(variable.handle().symbolic());
  ControlDependencies none({});
  Shape shape = variable.shape();
  if (!shape.fully_known() && eager) shape = variable.Read().shape();
  std::vector<Variable> made;
  for (const SlotSpec& spec : impl_->specs) {
    if (!shape.fully_known()) {
      impl_->slots.erase(it);
      ThrowError(InvalidArgument("ApplyGradients: ", Describe(variable), ": its shape must be known"));
    }
    const Tensor initial = Fill(shape, ToTensor(Operand(spec.initial), variable.dtype()));
    const std::string name = absl::StrCat(variable.name(), "/", name_, made.empty() ? "" : absl::StrCat("_", made.size()));
    made.push_back(Variable(initial, {.name = name, .trainable = false}));
  }
  it->second = made;
  for (size_t k = 0; k < made.size(); ++k) state()->AddSlot(variable, impl_->specs[k].name, made[k]);
}

void Optimizer::UpdateDense(const Variable& variable, std::span<const Variable> slots, const Tensor& gradient, const Step& step) {
  Tensors inputs;
  const OpId op = Arrange(step.op, variable, slots, step.used(), {gradient}, &inputs);
  Call(op, inputs, step.flag);
}

bool Optimizer::UpdateSparse(const Variable& variable, std::span<const Variable> slots, const Tensor& values, const Tensor& indices, const Step& step) {
  constexpr std::string_view kDense = "ResourceApply";
  const std::string sparse = absl::StrCat("ResourceSparseApply", Absl(step.op.substr(kDense.size())));
  if (FindOp(sparse) == OpId::kInvalid) return false;
  // Rows picked twice step once, by the sum of their gradients.
  const auto [rows, which] = Unique(indices);
  const Tensor sums = UnsortedSegmentSum(values, which, Reshape(ShapeOf(rows), Ints(Shape{})));
  Tensors inputs;
  const OpId op = Arrange(sparse, variable, slots, step.used(), {sums, rows}, &inputs);
  Call(op, inputs, step.flag);
  return true;
}

void Optimizer::Update(const Variable& variable, const Tensor& gradient) {
  const Step& step = impl_->StepFor(*this, variable.dtype());
  const std::vector<Variable>& slots = impl_->slots[variable.handle().rep()];
  if (const auto slices = SlicesOf(gradient)) {
    const bool narrow = slices->indices.dtype() != kInt32 && slices->indices.dtype() != kInt64;
    if (UpdateSparse(variable, slots, slices->values, narrow ? Cast(slices->indices, kInt32) : slices->indices, step)) return;
  }
  if (!fused() || !ExecutingEagerly() || gradient.rep()->storage == Storage::kDevice) {
    UpdateDense(variable, slots, gradient, step);
    return;
  }
  FusedUpdate& all = impl_->FusedFor(variable.dtype());
  if (all.empty()) all.Begin(step.op, step.flag, variable.dtype());
  all.Add(variable, slots, gradient);
}

Tensor Optimizer::Apply(const Tensors& gradients, const std::vector<Variable>& variables, const Variable& global_step, const Tensor& loss) {
  if (gradients.size() != variables.size())
    ThrowError(InvalidArgument("ApplyGradients: ", gradients.size(), " gradients for ", variables.size(), " variables"));
  const bool eager = ExecutingEagerly();
  int64_t count = 0;
  const Variable* first = nullptr;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    if (!variables[i].defined()) ThrowError(InvalidArgument("ApplyGradients: variable ", i, " is undefined"));
    if (gradients[i].dtype() != variables[i].dtype() || !gradients[i].shape().CompatibleWith(variables[i].shape()))
      ThrowError(InvalidArgument("ApplyGradients: gradient ", i, " is ", Describe(gradients[i]), ", ", Describe(variables[i])));
    if (eager && (gradients[i].symbolic() || variables[i].handle().symbolic()))
      ThrowError(absl::FailedPreconditionError(absl::StrCat("ApplyGradients: ", gradients[i].symbolic() ? absl::StrCat("gradient ", i) : absl::StrCat("variable \"", variables[i].name(), "\""),
                                                            " belongs to a graph: record the step under its GraphScope")));
    if (!first) first = &variables[i];
    ++count;
  }
  if (count == 0) {
    std::string names;
    for (const Variable& v : variables) absl::StrAppend(&names, names.empty() ? "" : ", ", v.defined() ? v.name() : "undefined");
    ThrowError(InvalidArgument("ApplyGradients: no gradient for any of the ", variables.size(), " variables (", names,
                               "): the loss does not depend on them; GradientTape::Explain says where the path ends"));
  }
  impl_->steps.clear();
  for (auto& [dtype, all] : impl_->fused) all.Clear();  // of a step that failed
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].defined()) MakeSlots(variables[i]);
  Begin(first->handle().symbolic());

  const auto update_all = [&] {
    for (size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i].defined()) Update(variables[i], gradients[i]);
  };
  if (eager) {
    update_all();
    for (auto& [dtype, all] : impl_->fused)
      if (!all.empty()) ThrowIfError(all.Run(impl_->StepFor(*this, dtype).used()));
    End();
    return global_step.defined() ? Variable(global_step).AssignAdd(1) : Tensor(count);
  }

  Tensor result;
  std::vector<ControlInput> done;
  {
    NameScope names(name_);
    Tensors computed;
    for (const Tensor& g : gradients)
      if (g.defined()) computed.push_back(g);
    if (loss.defined()) computed.push_back(loss);
    Tensor ready;
    {
      ControlDependencies after(computed);
      ready = Identity(Tensor(count), "gradients_ready");
    }
    SymbolicGraph* graph = GraphOf(ready);
    const auto note = [&](const Variable& v) {
      if (std::string node = graph->LastUpdateOf(v.handle()); !node.empty()) done.push_back(std::move(node));
    };
    {
      ControlDependencies after({ready});
      update_all();
    }
    for (size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i].defined()) note(variables[i]);
    {
      ControlDependencies after(done);
      End();
      for (const Variable& v : impl_->states) note(v);
    }
    ControlDependencies after(done);
    result = global_step.defined() ? Variable(global_step).AssignAdd(1) : ready;
  }
  ControlDependencies after(done);
  return Identity(result, name_);
}

Tensor Optimizer::ApplyGradients(const Tensors& gradients, const std::vector<Variable>& variables, const Variable& global_step) {
  return Apply(gradients, variables, global_step, {});
}

Tensor Optimizer::ApplyGradients(const GradientsAndVariables& pairs, const Variable& global_step) {
  Tensors gradients;
  std::vector<Variable> variables;
  for (const auto& [gradient, variable] : pairs) {
    gradients.push_back(gradient);
    variables.push_back(variable);
  }
  return Apply(gradients, variables, global_step, {});
}

namespace {

struct LossAndGradients {
  Tensor loss;
  Tensors gradients;
  std::vector<Variable> variables;
  GradientsAndVariables pairs() const {
    GradientsAndVariables pairs;
    for (size_t i = 0; i < variables.size(); ++i) pairs.push_back({gradients[i], variables[i]});
    return pairs;
  }
};

LossAndGradients Differentiate(const std::function<Tensor()>& loss, const std::vector<Variable>& variables) {
  GradientTape tape;
  if (!variables.empty()) tape.Watch(Sources(variables));
  LossAndGradients found{loss(), {}, variables};
  if (!found.loss.defined()) ThrowError(InvalidArgument("ComputeGradients: the loss function gave an undefined tensor"));
  if (variables.empty())
    for (const Tensor& handle : tape.watched_handles())
      if (Variable v = Variable::FromHandle(handle); v.defined()) found.variables.push_back(std::move(v));
  if (found.variables.empty()) ThrowError(InvalidArgument("ComputeGradients: computing the loss reads no trainable variable"));
  found.gradients = tape.Gradient(found.loss, Sources(found.variables));
  return found;
}

LossAndGradients Differentiate(const Tensor& loss, const std::vector<Variable>& variables) {
  if (!loss.defined()) ThrowError(InvalidArgument("ComputeGradients: the loss is an undefined tensor"));
  SymbolicGraph* graph = GraphOf(loss);
  if (!graph)
    ThrowError(absl::FailedPreconditionError("ComputeGradients: the loss has a value, how it was computed is not known; pass a function that computes it"));
  LossAndGradients found{loss, {}, variables};
  Tensors handles;
  if (variables.empty())
    for (Variable& v : Variable::Living())
      if (v.trainable() && (!v.handle().symbolic() || GraphOf(v.handle()) == graph)) found.variables.push_back(std::move(v));
  for (const Variable& v : found.variables) handles.push_back(v.handle());
  found.gradients = ValueOrThrow(graph->GradientsOf({loss}, handles));
  if (!variables.empty()) return found;
  // Of the variables that nobody named, only those that the loss depends on.
  LossAndGradients used{loss, {}, {}};
  for (size_t i = 0; i < handles.size(); ++i) {
    if (!found.gradients[i].defined()) continue;
    used.gradients.push_back(found.gradients[i]);
    used.variables.push_back(found.variables[i]);
  }
  if (used.variables.empty()) ThrowError(InvalidArgument("ComputeGradients: the loss depends on no trainable variable"));
  return used;
}

}  // namespace

GradientsAndVariables Optimizer::ComputeGradients(const std::function<Tensor()>& loss, const std::vector<Variable>& variables) {
  return Differentiate(loss, variables).pairs();
}
GradientsAndVariables Optimizer::ComputeGradients(const Tensor& loss, const std::vector<Variable>& variables) {
  return Differentiate(loss, variables).pairs();
}
Tensor Optimizer::Minimize(const std::function<Tensor()>& loss, const Variable& global_step, const std::vector<Variable>& variables) {
  const LossAndGradients found = Differentiate(loss, variables);
  return Apply(found.gradients, found.variables, global_step, found.loss);
}
Tensor Optimizer::Minimize(const Tensor& loss, const Variable& global_step, const std::vector<Variable>& variables) {
  const LossAndGradients found = Differentiate(loss, variables);
  return Apply(found.gradients, found.variables, global_step, found.loss);
}

}  // namespace tandem::train
