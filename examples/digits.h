// The handwritten digits of examples/data, as the examples use them.
#pragma once
#include <string>

#include "tandem.h"

// Pairs of an image, float32 [28, 28, 1] in [0, 1], and its label, int32. split: "train" or "test".
inline tandem::data::Dataset<2> Digits(const std::string& folder, const std::string& split) {
  return tandem::data::Mnist(folder, {.split = split, .image_shape = {28, 28, 1}});
}
