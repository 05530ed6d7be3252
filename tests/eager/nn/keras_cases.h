// What Keras's layers give (tests/data/keras, made by tools/interop/make_keras_layers.py), against ours: outputs and
// gradients, eagerly and by a Session.
//
//   const KerasLayer kLayers[] = {{"dense", [] { return std::make_shared<nn::Dense>(3); }}, …};
//   TEST_CASE("…") { CheckKerasLayers("core", kLayers); }
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "tandem.h"

namespace tandem {

// What is called: gives a layer's outputs for the inputs of its case.
using KerasCall = std::function<Tensors(nn::Layer& layer, const Tensors& inputs, const nn::CallOptions& options)>;

struct KerasLayer {
  const char* name;  // of the case
  std::function<std::shared_ptr<nn::Layer>()> make;
  bool training = false;
  KerasCall call = {};  // layer(inputs) when empty
};
void CheckKerasLayers(const std::string& group, std::span<const KerasLayer> layers);

// The table of a model (summaries.json).
std::string KerasSummary(const std::string& name);

}  // namespace tandem
