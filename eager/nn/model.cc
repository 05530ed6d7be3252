#include "eager/nn/model.h"

#include "core/status.h"

namespace tandem::nn {

void Sequential::Append(std::shared_ptr<Layer> layer) {
  if (built())
    ThrowError(absl::FailedPreconditionError(absl::StrCat("Sequential: a layer was added after the model was built; layer \"", name(), "\"")));
  // By position, as TensorFlow's checkpoints name them: a layer's own name may differ from process to process.
  Track(absl::StrCat("layer-", layers().size()), std::move(layer));
}

void Sequential::BuildFromInputShape() {
  const Shape& example = !input_shape().known_rank() && !layers().empty() ? layers()[0]->input_shape() : input_shape();
  if (!example.known_rank()) return;
  Shape input = {-1};
  for (const int64_t d : example) input.push_back(d);
  OutputShape(input);
}

Tensor Sequential::Call(const Tensor& input) {
  Tensor x = input, m = mask();
  for (const auto& layer : layers()) {
    Tensor y = (*layer)(x, {.mask = m});
    m = layer->ComputeMask(x, m);
    x = std::move(y);
  }
  return x;
}

Tensor Sequential::ComputeMask(const Tensor& input, const Tensor& mask) {
  // A mask that a later layer makes depends on what the layers before it give: only the first one's input is at hand.
  Tensor m = mask;
  for (const auto& layer : layers()) m = layer->ComputeMask(input, m);
  return m;
}

}  // namespace tandem::nn
