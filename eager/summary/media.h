// Images and sounds for TensorBoard. As eager/summary/summary.h.
//
//   summary::Image("digits", batch);                        // [n, 28, 28, 1]
//   summary::Audio("tone", samples, 16000);                 // [n, frames, channels]
#pragma once
#include "eager/summary/summary.h"

TANDEM_EXPORT_BEGIN
namespace tandem::summary {

struct MediaOptions {
  std::optional<int64_t> step;  // the global step unless given
  int max_outputs = 3;          // of the n, the first so many
};

// images: uint8, or floats in [0, 1] (others are clipped, NaN is 0), [n, height, width, channels] with 1 to 4 channels
// (grey, grey and alpha, RGB, RGBA). Tags are tag/image/0, …, or tag/image for one. Stored as PNG.
void Image(std::string_view tag, const Tensor& images, MediaOptions options = {});
// audio: float32 in [-1, 1] (others are clipped), [n, frames, channels] with 1 to 255 channels. Tags are tag/audio/0, …,
// or tag/audio for one. Stored as WAV of 16 bits.
void Audio(std::string_view tag, const Tensor& audio, int sample_rate, MediaOptions options = {});

}  // namespace tandem::summary
TANDEM_EXPORT_END
