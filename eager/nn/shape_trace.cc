#include "eager/nn/shape_trace.h"

#include <algorithm>

#include "core/infer.h"
#include "core/symbolic.h"

namespace tandem::nn {
namespace {

bool IsStub(const TensorRep* rep) { return rep->symbolic() && !rep->symbol().graph; }

}  // namespace

Tensor ShapeTrace::Stub(DType dtype, const Shape& shape) const {
  TensorRep* rep = NewSymbolic(dtype, shape, {nullptr, 0, 0});
  if (!rep) ThrowError(absl::ResourceExhaustedError("out of memory"));
  return Tensor::Adopt(rep);
}

absl::Status ShapeTrace::Dispatch(const OpCall& call, std::span<TensorRep*> outputs) {
  if (std::none_of(call.inputs.begin(), call.inputs.end(), IsStub)) return below_->Dispatch(call, outputs);
  absl::InlinedVector<InferInput, 4> inputs;
  Tensors known;  // keeps the values of a graph's constants
  for (TensorRep* rep : call.inputs) {
    inputs.push_back(InferInput::Of(*rep));
    if (IsStub(rep)) continue;
    known.push_back(KnownValue(Tensor::Share(rep)));
    if (known.back().defined()) inputs.back().value = known.back().rep();
  }
  InferContext infer(GetOp(call.op), inputs, call.attrs);
  RETURN_IF_ERROR(infer.Run());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const InferOutput& out = infer.outputs()[i];
    outputs[i] = NewSymbolic(out.dtype, out.shape, {nullptr, 0, 0});
    if (outputs[i]) continue;
    while (i > 0) Unref(std::exchange(outputs[--i], nullptr));
    return absl::ResourceExhaustedError(absl::StrCat(GetOp(call.op).name(), ": out of memory"));
  }
  return absl::OkStatus();
}

}  // namespace tandem::nn
