#include "core/crc32c.h"

#include <algorithm>

#include "isa-l/crc.h"

namespace tandem {

uint32_t Crc32c(std::string_view bytes, uint32_t before) {
  constexpr size_t kPart = size_t{1} << 30;  // its length is an int
  uint32_t crc = ~before;
  for (size_t done = 0; done < bytes.size();) {
    const size_t n = std::min(kPart, bytes.size() - done);
    // Takes a pointer to what it only reads.
    crc = crc32_iscsi(reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data() + done)), static_cast<int>(n), crc);
    done += n;
  }
  return ~crc;
}

}  // namespace tandem
