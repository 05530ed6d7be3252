#include "eager/custom_gradient.h"

#include "core/context.h"
#include "core/gradient.h"
#include "core/status.h"

namespace tandem {
namespace {

struct Kind {
  DType dtype;
  Shape shape;
};
std::vector<Kind> KindsOf(const Tensors& tensors) {
  std::vector<Kind> kinds;
  for (const Tensor& t : tensors) kinds.push_back({t.dtype(), t.shape()});
  return kinds;
}
std::string Text(DType dtype, const Shape& shape) { return absl::StrCat(std::string(DTypeName(dtype)), shape.ToString()); }

}  // namespace

void ApplyCustomGradient(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward, Origin origin) {
  // What is captured here outlives the call: kinds, not tensors.
  BackwardFn checked = [name = std::string(name), in = KindsOf(inputs), out = KindsOf(outputs), backward = std::move(backward)](const Tensors& dy) {
    Tensors filled = dy;
    for (size_t i = 0; i < filled.size() && i < out.size(); ++i)
      if (!filled[i].defined() && IsDifferentiable(out[i].dtype) && out[i].shape.fully_known())
        filled[i] = ZerosOfShape(out[i].dtype, out[i].shape);
    Tensors dx = backward(filled);
    if (dx.size() != in.size())
      ThrowError(InvalidArgument(name, ": the backward function gave ", dx.size(), dx.size() == 1 ? " gradient" : " gradients", " for ",
                                 in.size(), in.size() == 1 ? " input" : " inputs"));
    for (size_t i = 0; i < dx.size(); ++i)
      if (dx[i].defined() && (dx[i].dtype() != in[i].dtype || !dx[i].shape().CompatibleWith(in[i].shape)))
        ThrowError(InvalidArgument(name, ": the backward function gave ", Text(dx[i].dtype(), dx[i].shape()), " as the gradient of input ", i,
                                   ", which is ", Text(in[i].dtype, in[i].shape)));
    return dx;
  };
  ThrowIfError(CurrentContext().RecordCustom(name, inputs, outputs, std::move(checked), origin));
}

}  // namespace tandem
