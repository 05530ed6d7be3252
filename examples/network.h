// A small convolutional network for 28x28 digits.
#pragma once
#include <vector>

#include "tandem.h"

// Two convolutions and a dense layer. An object owns its variables; the call works in both modes.
struct Network {
  tandem::Variable filter1{tandem::RandomNormal({5, 5, 1, 8}, 0., .1, {.seed = 1}), {.name = "filter1"}};
  tandem::Variable bias1{tandem::Zeros({8}, tandem::kFloat32), {.name = "bias1"}};
  tandem::Variable filter2{tandem::RandomNormal({5, 5, 8, 16}, 0., .1, {.seed = 2}), {.name = "filter2"}};
  tandem::Variable bias2{tandem::Zeros({16}, tandem::kFloat32), {.name = "bias2"}};
  tandem::Variable weights{tandem::RandomNormal({784, 10}, 0., .05, {.seed = 3}), {.name = "weights"}};
  tandem::Variable bias{tandem::Zeros({10}, tandem::kFloat32), {.name = "bias"}};

  std::vector<tandem::Variable> variables() const { return {filter1, bias1, filter2, bias2, weights, bias}; }

  // images: [batch, 28, 28, 1] -> [batch, 10]
  tandem::Tensor operator()(const tandem::Tensor& images) const {
    tandem::Tensor x = tandem::Relu(tandem::BiasAdd(tandem::Conv2D(images, filter1, {.padding = "SAME"}), bias1));
    x = tandem::MaxPool(x);  // [batch, 14, 14, 8]
    x = tandem::Relu(tandem::BiasAdd(tandem::Conv2D(x, filter2, {.padding = "SAME"}), bias2));
    x = tandem::MaxPool(x);  // [batch, 7, 7, 16]
    return tandem::MatMul(tandem::Reshape(x, {-1, 784}), weights) + bias;
  }
};
