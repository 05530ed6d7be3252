#include "core/bundle/string_tensor.h"

#include <cstring>

#include "core/crc32c.h"

namespace tandem {
namespace {

// A length as the checksums see it: u32, or u64 from 2^32 on.
std::string FixedLength(uint64_t length) {
  std::string bytes(length <= 0xffffffffu ? 4 : 8, '\0');
  std::memcpy(bytes.data(), &length, bytes.size());
  return bytes;
}

void AppendVarint(uint64_t v, std::string& out) {
  for (; v >= 128; v >>= 7) out += static_cast<char>(v | 128);
  out += static_cast<char>(v);
}

std::string Fixed32(uint32_t v) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &v, 4);
  return bytes;
}

}  // namespace

absl::StatusOr<uint32_t> WriteStrings(std::span<const std::string> strings, OutputFile& file) {
  std::string varints;
  uint32_t crc = 0;
  for (const std::string& s : strings) {
    AppendVarint(s.size(), varints);
    crc = Crc32c(FixedLength(s.size()), crc);
  }
  const std::string checksum = Fixed32(MaskCrc(crc));
  RETURN_IF_ERROR(file.Append(varints));
  RETURN_IF_ERROR(file.Append(checksum));
  crc = Crc32c(checksum, crc);
  for (const std::string& s : strings) {
    crc = Crc32c(s, crc);
    RETURN_IF_ERROR(file.Append(s));
  }
  return crc;
}

absl::Status ReadStrings(std::string_view bytes, uint32_t crc, std::span<std::string> strings) {
  size_t at = 0;
  std::vector<uint64_t> lengths(strings.size());
  uint32_t actual = 0;
  uint64_t total = 0;
  for (uint64_t& length : lengths) {
    int shift = 0;
    for (;; shift += 7) {
      if (at >= bytes.size() || shift > 63) return absl::DataLossError(absl::StrCat("the lengths of its strings are cut off at byte ", at));
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      length |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
    if (length > bytes.size() || (total += length) > bytes.size())
      return absl::DataLossError(absl::StrCat("the lengths of its strings run past its end, at byte ", at));
    actual = Crc32c(FixedLength(length), actual);
  }
  if (bytes.size() - at < 4) return absl::DataLossError(absl::StrCat("the checksum of its strings' lengths is cut off at byte ", at));
  const std::string_view checksum = bytes.substr(at, 4);
  if (checksum != Fixed32(MaskCrc(actual))) return absl::DataLossError(absl::StrCat("the checksum of its strings' lengths is wrong, at byte ", at));
  at += 4;
  if (bytes.size() - at != total)
    return absl::DataLossError(absl::StrCat("its strings have ", total, " bytes together, it holds ", bytes.size() - at));
  actual = Crc32c(bytes.substr(at), Crc32c(checksum, actual));
  if (MaskCrc(actual) != crc) return absl::DataLossError("its checksum is wrong");
  for (size_t i = 0; i < strings.size(); ++i) {
    strings[i].assign(bytes.substr(at, lengths[i]));
    at += lengths[i];
  }
  return absl::OkStatus();
}

}  // namespace tandem
