// The base of optimizers: gradients in, variables updated, in both modes.
//
//   train::AdamOptimizer optimizer(0.001);
//   GradientTape tape;
//   Tensor loss = Loss(model, images, labels);
//   optimizer.ApplyGradients(tape.Gradient(loss, model.variables()), model.variables(), train::GetOrCreateGlobalStep());
//
//   optimizer.Minimize([&] { return Loss(model, images, labels); }, train::GetOrCreateGlobalStep());   // the same in one call
//
//   {
//     GraphScope scope(graph);
//     Tensor train_op = optimizer.Minimize(Loss(model, images, labels));      // recorded: a Run of train_op is a step
//   }
//
// Eagerly all updates of a step by one rule run as one kernel over all variables; a Session fuses them likewise. In a graph
// every gradient (and Minimize's loss) is computed before the first variable changes, as in eager code. The gradients of
// gathered rows stay sparse: rules that have a ResourceSparseApply* op touch those rows alone, with duplicates summed.
// An optimizer owns its slots (momenta …), made at the first step beside the variable they belong to. One thread at a time.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/export.h"
#include "eager/train/hyper_parameter.h"
#include "eager/trackable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

struct GradientAndVariable {
  Tensor gradient;  // undefined: none
  Variable variable;
};
using GradientsAndVariables = std::vector<GradientAndVariable>;

class Optimizer : public Trackable {
 public:
  ~Optimizer() override;
  Optimizer(Optimizer&&);

  // One step. Variables without a gradient (undefined) are left alone; global_step, if given, goes up by one. Gives the
  // global step after it, or the number of variables updated: in a graph the tensor whose Run makes the step.
  // INVALID_ARGUMENT: not as many gradients as variables, one of another shape or dtype, none defined at all.
  Tensor ApplyGradients(const Tensors& gradients, const std::vector<Variable>& variables, const Variable& global_step = {});
  Tensor ApplyGradients(const GradientsAndVariables& pairs, const Variable& global_step = {});

  // The gradients of a loss: by the variables given, else by the trainable ones that computing it reads.
  GradientsAndVariables ComputeGradients(const std::function<Tensor()>& loss, const std::vector<Variable>& variables = {});
  // In a graph, of a loss already recorded. Without variables: by all trainable ones that it depends on.
  // FAILED_PRECONDITION for a loss that has a value: how it was computed is not known.
  GradientsAndVariables ComputeGradients(const Tensor& loss, const std::vector<Variable>& variables = {});

  // ComputeGradients, then ApplyGradients.
  Tensor Minimize(const std::function<Tensor()>& loss, const Variable& global_step = {}, const std::vector<Variable>& variables = {});
  Tensor Minimize(const Tensor& loss, const Variable& global_step = {}, const std::vector<Variable>& variables = {});

  const std::string& name() const { return name_; }
  // The slots this optimizer keeps for a variable, in the order of their making; empty before the first step.
  std::vector<Variable> slots(const Variable& variable) const;

 protected:
  struct SlotSpec {
    std::string name;  // "momentum"
    double initial = 0;
  };
  // How variables of one dtype are updated in this step: by this ResourceApply* op, with these scalars in the op's order.
  struct Step {
    std::string_view op;  // "ResourceApplyAdam", a literal
    std::array<Tensor, 6> scalars = {};  // as many as are defined
    bool flag = false;    // the op's own: use_nesterov, update_slots
    std::span<const Tensor> used() const;
  };
  // name: "Adam"; its nodes and the train op are named so. slots: what the rule reads behind var, in its order.
  Optimizer(std::string name, std::vector<SlotSpec> slots);

  // Before the first update of a step. symbolic: the variables are a graph's own, and so should be what is made here.
  virtual void Begin(bool /*symbolic*/) {}
  virtual Step PrepareStep(DType dtype) = 0;
  // After the last.
  virtual void End() {}
  // One variable. The defaults call the ops of `step`; who overrides UpdateDense has fused() return false.
  virtual bool fused() const { return true; }
  virtual void UpdateDense(const Variable& variable, std::span<const Variable> slots, const Tensor& gradient, const Step& step);
  // values: [R, D...], indices: [R]. False when this rule has no sparse form: the dense one is used.
  virtual bool UpdateSparse(const Variable& variable, std::span<const Variable> slots, const Tensor& values, const Tensor& indices, const Step& step);
  // A variable of the optimizer itself (Adam's powers), kept under this name by checkpoints.
  Variable MakeState(std::string_view name, const Tensor& initial, bool symbolic);

 private:
  struct Impl;
  Tensor Apply(const Tensors& gradients, const std::vector<Variable>& variables, const Variable& global_step, const Tensor& loss);
  void MakeSlots(const Variable& variable);
  void Update(const Variable& variable, const Tensor& gradient);

  std::string name_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::train
TANDEM_EXPORT_END
