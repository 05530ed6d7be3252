// A number that an optimizer is tuned by: fixed, or different from step to step.
//
//   GradientDescentOptimizer a(0.01);
//   GradientDescentOptimizer b(ExponentialDecay(0.1, step, 1000, 0.96));     // a schedule: a function of a variable
//   GradientDescentOptimizer c([&] { return validation_improved ? 0.1 : 0.01; });
//   GradientDescentOptimizer d(rate_placeholder);                            // a graph's tensor, fed at each Run
#pragma once
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "core/export.h"
#include "core/operand.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

class HyperParameter {
 public:
  template <class T>
    requires(std::is_arithmetic_v<T>)
  HyperParameter(T value) : number_(static_cast<double>(value)) {}
  HyperParameter(const Tensor& value) : function_([value] { return value; }) {}
  HyperParameter(const Variable& value) : function_([value] { return value.Read(); }) {}  // read at each step
  // Called at each step, in a graph while the step is recorded. Gives a scalar: a Tensor or a number.
  template <class F>
    requires(std::invocable<F&> && !std::is_arithmetic_v<F>)
  HyperParameter(F function) : function_([f = std::move(function)]() mutable { return Tensor(f()); }) {}

  // The value now, a scalar of this dtype. INVALID_ARGUMENT when it is not a scalar.
  Tensor Value(DType dtype) const;

 private:
  double number_ = 0;
  std::function<Tensor()> function_;  // empty: number_
  mutable Tensor made_;               // of number_, for the dtype asked for last: one tensor is one constant in a graph
};

}  // namespace tandem::train
TANDEM_EXPORT_END
