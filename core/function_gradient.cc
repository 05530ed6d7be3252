#include "core/function_gradient.h"

#include "core/gradient.h"

namespace tandem {
namespace {
CallGradientFn call_gradient = nullptr;
}

void SetCallGradient(CallGradientFn fn) { call_gradient = fn; }

Tensors GradientOfCall(const Recorded& op, std::span<const Tensor> dy) {
  if (!call_gradient) ThrowError(absl::UnimplementedError(absl::StrCat(op.schema().name(), ": without graphs, a call has no derivative")));
  return call_gradient(op, dy);
}

}  // namespace tandem
