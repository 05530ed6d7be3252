#include "eager/host_gradient.h"

#include "eager/gradient_tape.h"

namespace tandem {

Tensors HostGradient(const HostFunction& function, const Tensors& inputs, const Tensors& dy) {
  GradientTape tape;
  tape.Watch(Sources(inputs));
  const Tensors y = function(inputs);
  if (y.size() != dy.size()) ThrowError(InvalidArgument("the derivative got ", dy.size(), " output gradients, the function gives ", y.size(), " outputs"));
  Tensors targets;
  GradientOptions options;
  for (size_t i = 0; i < y.size(); ++i) {
    if (!y[i].defined() || !IsDifferentiable(y[i].dtype())) continue;
    targets.push_back(y[i]);
    options.output_gradients.push_back(dy[i]);
  }
  return tape.Gradient(targets, Sources(inputs), options);
}

}  // namespace tandem
