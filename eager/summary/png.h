// Encodes pixels as PNG. Internal to summaries.
#pragma once
#include <cstdint>
#include <string>

#include "core/status.h"

namespace tandem::summary {

// pixels: height x width x channels bytes; channels 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
absl::StatusOr<std::string> EncodePng(const uint8_t* pixels, uint32_t width, uint32_t height, int channels);

}  // namespace tandem::summary
