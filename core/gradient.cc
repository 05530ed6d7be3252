#include "core/gradient.h"

#include <cstring>

#include "core/kernel.h"

namespace tandem {
namespace {

Tensor ZerosLikeOutput(const Recorded& op, int i) {
  const Tensor& like = op.output(i);
  return ZerosOfShape(like.dtype(), like.shape());
}

}  // namespace

Tensor ZerosOfShape(DType dtype, const Shape& shape) {
  const auto count = shape.num_elements();
  if (!count) ThrowError(InvalidArgument("zeros: the shape ", shape.ToString(), " is not known"));
  TensorRep* rep = NewRep(dtype, shape.dims(), *count);
  if (!rep) ThrowError(OutOfMemoryError("zeros", dtype, shape.dims()));
  std::memset(rep->data, 0, rep->count ? static_cast<size_t>(rep->bytes()) : 0);
  return Tensor::Adopt(rep);
}

const Tensor& Recorded::FillStub(const Tensor& slot, const TensorInfo& info) {
  TensorRep* stub = NewSymbolic(info.dtype, Shape({info.dims, info.rank}), {nullptr, 0, 0});
  if (!stub) ThrowError(absl::ResourceExhaustedError("out of memory"));
  return const_cast<Tensor&>(slot) = Tensor::Adopt(stub);
}

absl::StatusOr<Tensors> CallGradient(const Recorded& op, std::span<const Tensor> dy) {
  const OpSchema& schema = op.schema();
  Tensors dx;
  try {
    absl::InlinedVector<Tensor, 4> filled;
    if (dy.size() > 1) {
      filled.assign(dy.begin(), dy.end());
      for (size_t i = 0; i < filled.size(); ++i)
        if (!filled[i].defined() && IsDifferentiable(op.output(static_cast<int>(i)).dtype())) filled[i] = ZerosLikeOutput(op, static_cast<int>(i));
      dy = {filled.data(), filled.size()};
    }
    dx = schema.single_gradient() ? schema.single_gradient()(op, dy[0]) : schema.gradient()(op, dy);
  } catch (...) {
    absl::Status status = StatusFromException(std::current_exception());
    const std::string at = op.origin().ToString();
    return absl::Status(status.code(), absl::StrCat(status.message(), " (in the gradient of ", schema.name(), at.empty() ? "" : " at ", at, ")"));
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
