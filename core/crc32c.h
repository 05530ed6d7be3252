// CRC-32C, the checksum in TensorFlow's record, event and checkpoint files.
//
//   Crc32c("123456789")                        // 0xe3069283
//   MaskCrc(Crc32c(bytes))                     // as it is stored
//   Crc32c(rest, Crc32c(first))                // of first and rest, joined
//
// Polynomial 0x1edc6f41 reflected, start and end inverted (RFC 3720, appendix B.4); by the CPU's instructions.
#pragma once
#include <cstdint>
#include <string_view>

namespace tandem {

// before: the checksum of the bytes that come before these.
uint32_t Crc32c(std::string_view bytes, uint32_t before = 0);

// A checksum stored beside the bytes it covers is masked, so that a checksum over both does not degenerate.
constexpr uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
constexpr uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

}  // namespace tandem
