// String tensors in a bundle: n varint lengths, a masked CRC of the lengths as u32 each, the bytes. The entry's CRC runs
// over the lengths as u32, those four bytes and the bytes, not over the varints (TensorFlow's tensor_bundle.cc).
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/bundle/output_file.h"
#include "core/status.h"

namespace tandem {

// Appends the strings; gives the entry's CRC, not masked.
absl::StatusOr<uint32_t> WriteStrings(std::span<const std::string> strings, OutputFile& file);

// Fills the strings from an entry's bytes. DATA_LOSS says what is wrong and at which byte of the entry; crc is what the
// entry should have, masked.
absl::Status ReadStrings(std::string_view bytes, uint32_t crc, std::span<std::string> strings);

}  // namespace tandem
