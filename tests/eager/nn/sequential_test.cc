#include <catch2/catch.hpp>

#include "tests/eager/nn/keras_cases.h"

namespace tandem {

TEST_CASE("a Sequential hands the mask of an Embedding to the layers behind it") {
  nn::Sequential model(nn::Embedding(5, 3, {.mask_zero = true}), nn::Dense(3), nn::LSTM(2, {.return_sequences = true}), nn::GRU(2));
  const Tensor padded = model(Tensor({{1, 2, 0, 0}})), alone = model(Tensor({{1, 2}}));
  CHECK(Max(Abs(padded - alone)).item<float>() < 1e-6f);
  // Without the mask the zeros count.
  nn::Sequential unmasked(nn::Embedding(5, 3), nn::LSTM(2));
  CHECK(Max(Abs(unmasked(Tensor({{1, 2, 0, 0}})) - unmasked(Tensor({{1, 2}})))).item<float>() > 1e-6f);
}

TEST_CASE("Run goes on from the states of the call before") {
  nn::LSTM lstm(3, {.return_sequences = true});
  const Tensor x = RandomNormal({2, 5, 4}, {.seed = 1});
  const Tensor whole = lstm(x);
  const nn::RecurrentResult first = lstm.Run(Slice(x, {0, 0, 0}, {2, 2, 4}));
  const nn::RecurrentResult rest = lstm.Run(Slice(x, {0, 2, 0}, {2, 3, 4}), first.states);
  CHECK(Max(Abs(Concat({first.output, rest.output}, 1) - whole)).item<float>() < 1e-6f);
  CHECK(lstm.variables()[2].Read().ToVector<float>() == std::vector<float>{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a frozen BatchNormalization keeps its averages") {
  nn::BatchNormalization norm;
  const Tensor x = RandomNormal({8, 3}, 5., 2., {.seed = 1});
  norm(x, {.training = true});
  const Tensor moved = norm.variables()[2];
  CHECK(Min(moved).item<float>() > 0);
  norm.set_trainable(false);
  norm(x, {.training = true});
  CHECK(bool(All(norm.variables()[2].Read() == moved)));
}

TEST_CASE("in a graph the averages of BatchNormalization move with the result") {
  nn::Sequential model(nn::BatchNormalization({.momentum = .5, .input_shape = {2}}));
  Graph graph;
  Tensor y;
  {
    GraphScope scope(graph);
    y = model(Placeholder(kFloat32, {-1, 2}, "x"), {.training = true});
  }
  Session(graph).Run({{"x", Tensor({{0., 8.}, {4., 8.}})}}, y);
  CHECK(model.variables()[2].Read().ToVector<float>() == std::vector<float>{1, 4});    // half of the means 2 and 8
  CHECK(model.variables()[3].Read().ToVector<float>() == std::vector<float>{2.5, .5});  // half of 1 and of the variances 4 and 0
}

TEST_CASE("models are inferred, built and captured whole") {
  nn::Sequential model(nn::Conv2D(4, 3, {.activation = Relu, .input_shape = {28, 28, 1}}), nn::MaxPooling2D(), nn::BatchNormalization(),
                       nn::SeparableConv2D(6, 3), nn::GlobalAveragePooling2D(), nn::Dropout(.5), nn::Dense(10));
  CHECK(model.built());
  CHECK(model.output_shape() == Shape{-1, 10});
  auto f = Capture(model, {{kFloat32, {-1, 28, 28, 1}}});
  const Tensor x = RandomNormal({3, 28, 28, 1}, {.seed = 2});
  CHECK(bool(All(f(x) == model(x))));
  nn::Sequential recurrent(nn::Embedding(7, 4), nn::Bidirectional(nn::LSTM(3, {.return_sequences = true})), nn::MultiHeadAttention(2, 4),
                           nn::GlobalAveragePooling1D(), nn::Dense(2));
  CHECK(recurrent.OutputShape({-1, 6}, kInt32) == Shape{-1, 2});
}

}  // namespace tandem
