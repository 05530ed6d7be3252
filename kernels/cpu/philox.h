// Philox4x32-10, the counter-based generator of TensorFlow's random ops (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011): a block of four words is a function of key and 128-bit counter, so any part of a stream
// can be made by any thread.
//
//   Philox stream(seed, seed2);
//   PhiloxBlock words = stream.Block(7);     // words 28 to 31
#pragma once
#include <array>
#include <cstdint>

namespace tandem {

using PhiloxBlock = std::array<uint32_t, 4>;

inline PhiloxBlock PhiloxRounds(PhiloxBlock c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

class Philox {
 public:
  Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high) : key_(key), low_(counter_low), high_(counter_high) {}
  // The four words at counter + index; the sum carries into the high half.
  PhiloxBlock Block(uint64_t index) const {
    const uint64_t low = low_ + index, high = high_ + (low < low_);
    return PhiloxRounds({static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)},
                        static_cast<uint32_t>(key_), static_cast<uint32_t>(key_ >> 32));
  }

 private:
  uint64_t key_, low_, high_;
};

}  // namespace tandem
