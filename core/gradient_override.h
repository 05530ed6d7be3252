// Another derivative for an op, for as long as a scope lives.
//
//   GradientOverride guided("Relu", [](const Tensors& inputs, const Tensors& outputs, const Tensors& dy) -> Tensors {
//     return {Select(LogicalAnd(inputs[0] > 0, dy[0] > 0), dy[0], 0)};       // guided backpropagation
//   });
//   Tensor y = model(x);                          // recorded in here: differentiated so, whenever that is
//
// It holds for ops that this thread records inside the scope: on tapes, whether they began inside or not, and in graphs,
// where the node says so in `_gradient_op_type`, as TensorFlow's gradient_override_map has it. Scopes end in reverse
// order; of several for one op the innermost holds.
#pragma once
#include <atomic>
#include <functional>
#include <string_view>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

enum class OpId : uint16_t;

// dy: one for each output, undefined where nothing arrived. Gives one for each input, undefined where none flows.
using GradientOverrideFn = std::function<Tensors(const Tensors& inputs, const Tensors& outputs, const Tensors& dy)>;

class GradientOverride {
 public:
  // NOT_FOUND when there is no such op.
  GradientOverride(std::string_view op, GradientOverrideFn gradient);
  ~GradientOverride();
  GradientOverride(const GradientOverride&) = delete;
  GradientOverride& operator=(const GradientOverride&) = delete;

  // The derivative of one call as a function of dy alone. At differentiation INVALID_ARGUMENT when it gives another number
  // of tensors than there are inputs, or one whose dtype or shape is not its input's (internal).
  static std::function<Tensors(const Tensors& dy)> Bind(OpId op, const GradientOverrideFn& gradient, Tensors inputs, Tensors outputs);
  // The one that holds for an op on this thread; null when none does (internal).
  static const GradientOverrideFn* Find(OpId op) { return count_.load(std::memory_order_relaxed) == 0 ? nullptr : FindInScopes(op); }

 private:
  static const GradientOverrideFn* FindInScopes(OpId op);
  static std::atomic<int> count_;  // in the process, so that who records asks one number

  OpId op_;
  GradientOverrideFn gradient_;
  const GradientOverride* outer_;
};

}  // namespace tandem
TANDEM_EXPORT_END
