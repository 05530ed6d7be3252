// What layers refuse, and what they say.
#include <catch2/catch.hpp>

#include "tests/eager/nn/keras_cases.h"
#include "tests/thrown.h"

namespace tandem {

TEST_CASE("sizes that make no layer") {
  const struct {
    std::function<void()> make;
    const char* error;
  } rows[] = {
      {[] { nn::Conv2D(0, 3); }, "INVALID_ARGUMENT Conv2D: filters is 0, must be at least 1"},
      {[] { nn::Conv2D(4, {3, 0}); }, "INVALID_ARGUMENT Conv2D: kernel_size is 0, must be at least 1"},
      {[] { nn::Conv2D(4, 3, {.strides = -1}); }, "INVALID_ARGUMENT Conv2D: strides is -1, must be at least 1"},
      {[] { nn::Conv2D(4, 3, {.dilations = 0}); }, "INVALID_ARGUMENT Conv2D: dilations is 0, must be at least 1"},
      {[] { nn::Conv2D(4, 3, {.groups = 3}); }, "INVALID_ARGUMENT Conv2D: groups is 3, must divide the 4 filters"},
      {[] { nn::Conv2D(4, 3, {.padding = "same"}); }, "INVALID_ARGUMENT Conv2D: padding is \"same\", must be \"VALID\" or \"SAME\""},
      {[] { nn::Conv1D(4, 3, {.padding = "FULL"}); }, "INVALID_ARGUMENT Conv1D: padding is \"FULL\", must be \"VALID\", \"SAME\" or \"CAUSAL\""},
      {[] { nn::DepthwiseConv2D(3, {.depth_multiplier = 0}); }, "INVALID_ARGUMENT DepthwiseConv2D: depth_multiplier is 0, must be at least 1"},
      {[] { nn::Conv2DTranspose(4, 3, {.groups = 2}); }, "INVALID_ARGUMENT Conv2DTranspose: groups is 2, must be 1"},
      {[] { nn::MaxPooling2D(0); }, "INVALID_ARGUMENT MaxPooling2D: pool_size is 0, must be at least 1"},
      {[] { nn::AveragePooling1D(2, {.padding = "CAUSAL"}); }, "INVALID_ARGUMENT AveragePooling1D: padding is \"CAUSAL\", must be \"VALID\" or \"SAME\""},
      {[] { nn::ZeroPadding2D({1, -2}); }, "INVALID_ARGUMENT ZeroPadding2D: padding is -2, must be at least 0"},
      {[] { nn::LSTM(0); }, "INVALID_ARGUMENT LSTM: units is 0, must be at least 1"},
      {[] { nn::GRU(-1); }, "INVALID_ARGUMENT GRU: units is -1, must be at least 1"},
      {[] { nn::Embedding(0, 3); }, "INVALID_ARGUMENT Embedding: input_dim is 0, must be at least 1"},
      {[] { nn::Embedding(3, 0); }, "INVALID_ARGUMENT Embedding: output_dim is 0, must be at least 1"},
      {[] { nn::BatchNormalization({.momentum = 2}); }, "INVALID_ARGUMENT BatchNormalization: momentum is 2, must be in [0, 1]"},
      {[] { nn::LayerNormalization({.axes = {}}); }, "INVALID_ARGUMENT LayerNormalization: axes must not be empty"},
      {[] { nn::MultiHeadAttention(0, 3); }, "INVALID_ARGUMENT MultiHeadAttention: num_heads is 0, must be at least 1"},
  };
  for (const auto& row : rows) CHECK(Thrown(row.make) == row.error);
}

TEST_CASE("inputs that do not fit name the layer") {
  const struct {
    std::shared_ptr<nn::Layer> layer;
    std::vector<Tensor> calls;  // the last one fails
    const char* error;
  } rows[] = {
      {std::make_shared<nn::Conv2D>(4, 3, nn::ConvOptions{.name = "a"}), {Ones({1, 4, 4})},
       "INVALID_ARGUMENT Conv2D: input must have rank 4, is [1,4,4]; layer \"a\""},
      {std::make_shared<nn::Conv2D>(4, 3, nn::ConvOptions{.name = "a"}), {Ones({1, 4, 4, 2}), Ones({1, 4, 4, 3})},
       "INVALID_ARGUMENT Conv2D: input is [1,4,4,3] (dim 3 = 3), the layer was built for 2 there; layer \"a\""},
      {std::make_shared<nn::Conv2D>(4, 3, nn::ConvOptions{.groups = 2, .name = "a"}), {Ones({1, 4, 4, 3})},
       "INVALID_ARGUMENT Conv2D: groups is 2, must divide the 3 channels of the input; layer \"a\""},
      {std::make_shared<nn::LSTM>(4, nn::RecurrentOptions{.name = "a"}), {Ones({2, 3})},
       "INVALID_ARGUMENT LSTM: input must have rank 3, is [2,3]; layer \"a\""},
      {std::make_shared<nn::LSTM>(4, nn::RecurrentOptions{.name = "a"}), {Ones({2, 3, 5}), Ones({2, 3, 6})},
       "INVALID_ARGUMENT LSTM: input is [2,3,6] (dim 2 = 6), the layer was built for 5 there; layer \"a\""},
      {std::make_shared<nn::BatchNormalization>(nn::BatchNormalizationOptions{.axis = 2, .name = "a"}), {Ones({2, 3})},
       "INVALID_ARGUMENT BatchNormalization: axis is 2, must name one of [2,3] behind the batch; layer \"a\""},
      {std::make_shared<nn::LayerNormalization>(nn::LayerNormalizationOptions{.axes = {1, -1}, .name = "a"}), {Ones({2, 3})},
       "INVALID_ARGUMENT LayerNormalization: axes names one axis twice; layer \"a\""},
      {std::make_shared<nn::MultiHeadAttention>(1, 2, nn::MultiHeadAttentionOptions{.name = "a"}), {Ones({2, 3})},
       "INVALID_ARGUMENT MultiHeadAttention: input must have rank 3, is [2,3]; layer \"a\""},
  };
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.calls.size(); ++i) (*row.layer)(row.calls[i]);
    CHECK(Thrown([&] { (*row.layer)(row.calls.back()); }) == row.error);
  }
  nn::Embedding embedding(3, 2, {.name = "a"});
  CHECK(Thrown([&] { embedding(Tensor({0, 3})); }).ends_with("; layer \"a\""));
  nn::LSTM lstm(2, {.name = "a"});
  CHECK(Thrown([&] { lstm.Run(Ones({1, 2, 3}), {Ones({1, 2})}); }) == "INVALID_ARGUMENT LSTM: takes 2 initial states, got 1; layer \"a\"");
}

TEST_CASE("steps that are not known cannot be unrolled") {
  Graph graph;
  GraphScope scope(graph);
  nn::LSTM lstm(2, {.name = "a"});
  CHECK(Thrown([&] { lstm(Placeholder(kFloat32, {2, -1, 3})); }) ==
        "UNIMPLEMENTED LSTM: input is [2,?,3], the number of steps (dim 1) must be known; layer \"a\"");
}

}  // namespace tandem
