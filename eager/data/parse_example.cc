#include "core/example.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {

NodePtr ParseExample(NodePtr input, std::vector<Feature> features, MapOptions options) {
  tandem::ParseExample(Tensor(std::vector<std::string>()), features);  // features that can never be are found here
  return Map(std::move(input), [features = std::move(features)](Tensors& in, Tensors& out) { out = tandem::ParseExample(in[0], features); }, options);
}

}  // namespace tandem::data::internal
