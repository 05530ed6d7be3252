#include "core/gradient_override.h"

#include "core/op.h"
#include "core/status.h"

namespace tandem {
namespace {

constinit thread_local const GradientOverride* innermost = nullptr;

}  // namespace

std::atomic<int> GradientOverride::count_ = 0;

GradientOverride::GradientOverride(std::string_view op, GradientOverrideFn gradient)
    : op_(FindOp(op)), gradient_(std::move(gradient)), outer_(innermost) {
  if (op_ == OpId::kInvalid) ThrowError(absl::NotFoundError(absl::StrCat("GradientOverride: there is no op \"", Absl(op), "\"")));
  if (!gradient_) ThrowError(InvalidArgument("GradientOverride: no function for ", Absl(op)));
  innermost = this;
  count_.fetch_add(1, std::memory_order_relaxed);
}

GradientOverride::~GradientOverride() {
  innermost = outer_;
  count_.fetch_sub(1, std::memory_order_relaxed);
}

std::function<Tensors(const Tensors& dy)> GradientOverride::Bind(OpId op, const GradientOverrideFn& gradient, Tensors inputs, Tensors outputs) {
  return [op, gradient, inputs = std::move(inputs), outputs = std::move(outputs)](const Tensors& dy) {
    const Tensors dx = gradient(inputs, outputs, dy);
    const auto name = Absl(OpName(op));
    if (dx.size() != inputs.size())
      ThrowError(InvalidArgument("GradientOverride: ", dx.size(), dx.size() == 1 ? " gradient" : " gradients", " for the ", inputs.size(),
                                 inputs.size() == 1 ? " input of " : " inputs of ", name));
    for (size_t i = 0; i < dx.size(); ++i)
      if (dx[i].defined() && (dx[i].dtype() != inputs[i].dtype() || !dx[i].shape().CompatibleWith(inputs[i].shape())))
        ThrowError(InvalidArgument("GradientOverride: the gradient of input ", i, " of ", name, " is ", Absl(DTypeName(dx[i].dtype())),
                                   dx[i].shape().ToString(), ", the input is ", Absl(DTypeName(inputs[i].dtype())), inputs[i].shape().ToString()));
    return dx;
  };
}

const GradientOverrideFn* GradientOverride::FindInScopes(OpId op) {
  for (const GradientOverride* scope = innermost; scope; scope = scope->outer_)
    if (scope->op_ == op) return &scope->gradient_;
  return nullptr;
}

}  // namespace tandem
