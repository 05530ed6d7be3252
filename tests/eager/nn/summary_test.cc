#include <catch2/catch.hpp>

#include "tests/eager/nn/keras_cases.h"

namespace tandem {

TEST_CASE("Summary prints what Keras prints") {
  nn::ResetLayerNames();
  nn::Sequential unbuilt(nn::LayerOptions{.name = "with_a_name"}, nn::Dense(3, {.name = "dense_1"}), nn::Flatten({.name = "flatten_1"}));
  CHECK(unbuilt.Summary() == KerasSummary("unbuilt"));
  unbuilt(Zeros({2, 4}));
  CHECK(unbuilt.Summary() == KerasSummary("built by a call"));
}

}  // namespace tandem
