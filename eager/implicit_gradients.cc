#include "eager/implicit_gradients.h"

#include "core/status.h"
#include "eager/gradient_tape.h"

namespace tandem {

ValueAndImplicitGradients DifferentiateImplicitly(const std::function<Tensor()>& function) {
  GradientTape tape;
  ValueAndImplicitGradients out;
  out.value = function();
  std::vector<Variable> variables;
  for (const Tensor& handle : tape.watched_handles()) variables.push_back(Variable::FromHandle(handle));
  if (variables.empty()) ThrowError(InvalidArgument("ImplicitGradients: the function reads no trainable variable"));
  Tensors gradients = tape.Gradient(out.value, variables);
  for (size_t i = 0; i < variables.size(); ++i) out.gradients.push_back({std::move(gradients[i]), std::move(variables[i])});
  return out;
}

}  // namespace tandem
