#include "core/gradient.h"

namespace tandem {

absl::StatusOr<Tensors> CallGradient(const Recorded& op, std::span<const Tensor> dy) {
  const OpSchema& schema = op.schema();
  Tensors dx;
  try {
    dx = schema.single_gradient() ? schema.single_gradient()(op, dy[0]) : schema.gradient()(op, dy);
  } catch (...) {
    absl::Status status = StatusFromException(std::current_exception());
    return absl::Status(status.code(), absl::StrCat(status.message(), " (in the gradient of ", schema.name(), ")"));
  }
  if (static_cast<int>(dx.size()) != op.num_inputs())
    return absl::InternalError(absl::StrCat("the gradient of ", schema.name(), " gave ", dx.size(), " tensors for ", op.num_inputs(), " inputs"));
  return dx;
}

Tensor ReduceToInput(const Recorded& op, int i, const Tensor& dy) {
  const Shape want = op.input_shape(i);
  if (want.fully_known() && dy.shape() == want) return dy;
  return dy;
}

}  // namespace tandem
