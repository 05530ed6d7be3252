// Layers against Keras: see keras_cases.h.
#include <catch2/catch.hpp>

#include "tests/eager/nn/keras_cases.h"

namespace tandem {
namespace {

template <class L, class... Args>
std::function<std::shared_ptr<nn::Layer>()> Make(Args... args) {
  return [=] { return std::make_shared<L>(args...); };
}
using nn::Size2D;

const KerasLayer kCore[] = {
    {"dense", Make<nn::Dense>(3)},
    {"dense relu rank 3", Make<nn::Dense>(3, nn::DenseOptions{.activation = Relu})},
    {"dense softmax no bias", Make<nn::Dense>(4, nn::DenseOptions{.activation = Softmax, .use_bias = false})},
    {"flatten", Make<nn::Flatten>()},
    {"embedding", Make<nn::Embedding>(5, 3)},
    {"layer normalization", Make<nn::LayerNormalization>()},
    {"layer normalization axes", Make<nn::LayerNormalization>(nn::LayerNormalizationOptions{.axes = {1, 2}})},
    {"layer normalization bare", Make<nn::LayerNormalization>(nn::LayerNormalizationOptions{.center = false, .scale = false})},
    {"batch normalization", Make<nn::BatchNormalization>()},
    {"batch normalization training", Make<nn::BatchNormalization>(nn::BatchNormalizationOptions{.momentum = .9}), true},
    {"batch normalization matrix", Make<nn::BatchNormalization>()},
    {"batch normalization matrix training", Make<nn::BatchNormalization>(nn::BatchNormalizationOptions{.momentum = .9}), true},
    {"batch normalization axis 1 training", Make<nn::BatchNormalization>(nn::BatchNormalizationOptions{.axis = 1}), true},
    {"batch normalization no scale", Make<nn::BatchNormalization>(nn::BatchNormalizationOptions{.scale = false})},
};

const KerasLayer kConvolution[] = {
    {"conv1d", Make<nn::Conv1D>(3, 2)},
    {"conv1d same stride", Make<nn::Conv1D>(3, 3, nn::ConvOptions{.strides = 2, .padding = "SAME"})},
    {"conv1d causal dilated", Make<nn::Conv1D>(2, 2, nn::ConvOptions{.padding = "CAUSAL", .dilations = 2, .activation = Tanh})},
    {"conv2d", Make<nn::Conv2D>(3, 2)},
    {"conv2d same stride", Make<nn::Conv2D>(2, Size2D(3, 2), nn::ConvOptions{.strides = {2, 1}, .padding = "SAME", .activation = Relu})},
    {"conv2d dilated", Make<nn::Conv2D>(2, 2, nn::ConvOptions{.dilations = 2, .use_bias = false})},
    {"conv2d groups", Make<nn::Conv2D>(4, 2, nn::ConvOptions{.groups = 2})},
    {"depthwise", Make<nn::DepthwiseConv2D>(2)},
    {"depthwise multiplier", Make<nn::DepthwiseConv2D>(3, nn::ConvOptions{.strides = 2, .padding = "SAME", .depth_multiplier = 2})},
    {"separable", Make<nn::SeparableConv2D>(3, 2, nn::ConvOptions{.padding = "SAME", .depth_multiplier = 2})},
    {"transposed", Make<nn::Conv2DTranspose>(3, 3, nn::ConvOptions{.strides = 2})},
    {"transposed same", Make<nn::Conv2DTranspose>(2, 3, nn::ConvOptions{.strides = 2, .padding = "SAME", .activation = Relu})},
    {"max pooling 1d", Make<nn::MaxPooling1D>()},
    {"max pooling 2d", Make<nn::MaxPooling2D>(Size2D(2, 3), nn::PoolingOptions{.strides = Size2D(1, 2), .padding = "SAME"})},
    {"average pooling 1d", Make<nn::AveragePooling1D>(3, nn::PoolingOptions{.strides = 1, .padding = "SAME"})},
    {"average pooling 2d", Make<nn::AveragePooling2D>()},
    {"global max pooling 1d", Make<nn::GlobalMaxPooling1D>()},
    {"global max pooling 2d", Make<nn::GlobalMaxPooling2D>(nn::GlobalPoolingOptions{.keep_dims = true})},
    {"global average pooling 1d", Make<nn::GlobalAveragePooling1D>()},
    {"global average pooling 2d", Make<nn::GlobalAveragePooling2D>()},
    {"zero padding", Make<nn::ZeroPadding2D>(std::array<int64_t, 2>{1, 0}, std::array<int64_t, 2>{0, 2})},
};

// Output and states.
Tensors WithStates(nn::Layer& layer, const Tensors& inputs, const nn::CallOptions& options) {
  const nn::RecurrentResult r = dynamic_cast<nn::Recurrent&>(layer).Run(inputs[0], {}, options);
  Tensors out = {r.output};
  out.insert(out.end(), r.states.begin(), r.states.end());
  return out;
}

const nn::RecurrentOptions kSequences = {.return_sequences = true};
std::shared_ptr<nn::Layer> Both(nn::MergeMode mode, bool gru, bool sequences) {
  const nn::RecurrentOptions options = {.return_sequences = sequences};
  if (gru) return std::make_shared<nn::Bidirectional>(nn::GRU(2, options), nn::BidirectionalOptions{.merge_mode = mode});
  return std::make_shared<nn::Bidirectional>(nn::LSTM(2, options), nn::BidirectionalOptions{.merge_mode = mode});
}

const KerasLayer kRecurrent[] = {
    {"lstm", Make<nn::LSTM>(3)},
    {"lstm sequences", Make<nn::LSTM>(3, kSequences), false, WithStates},
    {"lstm masked", Make<nn::LSTM>(3, kSequences)},
    {"lstm masked last", Make<nn::LSTM>(3)},
    {"lstm backwards no bias", Make<nn::LSTM>(2, nn::RecurrentOptions{.return_sequences = true, .go_backwards = true, .use_bias = false})},
    {"gru", Make<nn::GRU>(3)},
    {"gru reset before", Make<nn::GRU>(3, nn::RecurrentOptions{.return_sequences = true, .reset_after = false})},
    {"gru masked", Make<nn::GRU>(3, kSequences), false, WithStates},
    {"simple rnn", Make<nn::SimpleRNN>(3, kSequences)},
    {"simple rnn masked", Make<nn::SimpleRNN>(3)},
    {"bidirectional", [] { return Both(nn::MergeMode::kConcat, false, false); }},
    {"bidirectional sequences", [] { return Both(nn::MergeMode::kSum, true, true); }},
    {"bidirectional masked", [] { return Both(nn::MergeMode::kConcat, false, true); }},
};

const KerasLayer kAttention[] = {
    {"self", Make<nn::MultiHeadAttention>(2, 3)},
    {"cross", Make<nn::MultiHeadAttention>(2, 3, nn::MultiHeadAttentionOptions{.value_dim = 2, .output_dim = 4})},
    {"masked", Make<nn::MultiHeadAttention>(2, 3, nn::MultiHeadAttentionOptions{.use_bias = false})},
    {"causal", Make<nn::MultiHeadAttention>(1, 2, nn::MultiHeadAttentionOptions{.causal = true})},
};

}  // namespace

TEST_CASE("dense, embedding and normalization give what Keras gives") { CheckKerasLayers("core", kCore); }
TEST_CASE("convolutions and pools give what Keras gives") { CheckKerasLayers("convolution", kConvolution); }
TEST_CASE("recurrent layers give what Keras gives") { CheckKerasLayers("recurrent", kRecurrent); }
TEST_CASE("attention gives what Keras gives") { CheckKerasLayers("attention", kAttention); }

}  // namespace tandem
