#include <catch2/catch.hpp>

#include "tests/eager/nn/keras_cases.h"

namespace tandem {
namespace {

class MnistModel : public nn::Model {
 public:
  Tensor Call(const Tensor& x) override { return dense2_(dense2_(dense1_(x))); }
  nn::Dense& dense1() { return dense1_; }

 private:
  nn::Dense& dense1_ = Track("dense1", nn::Dense(10));
  nn::Dense& dense2_ = Track("dense2", nn::Dense(10));
  nn::BatchNormalization& unused_ = Track("unused", nn::BatchNormalization());
};

}  // namespace

TEST_CASE("Summary prints what Keras prints") {
  nn::ResetLayerNames();
  nn::Sequential sequential(nn::Conv2D(8, 3, {.input_shape = {28, 28, 1}}), nn::MaxPooling2D(), nn::BatchNormalization(), nn::Flatten(), nn::Dropout(.5),
                            nn::Dense(10000, {.name = "a_very_long_name_for_a_layer_indeed_it_is"}), nn::Dense(10));
  CHECK(sequential.Summary() == KerasSummary("sequential"));
  nn::Sequential unbuilt(nn::LayerOptions{.name = "with_a_name"}, nn::Dense(3), nn::Flatten());
  CHECK(unbuilt.Summary() == KerasSummary("unbuilt"));
  unbuilt(Zeros({2, 4}));
  CHECK(unbuilt.Summary() == KerasSummary("built by a call"));
  MnistModel model;
  model(Zeros({1, 1, 784}));
  model.dense1().set_trainable(false);
  CHECK(model.Summary() == KerasSummary("subclass"));
}

}  // namespace tandem
