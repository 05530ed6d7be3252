#include "core/random_seed.h"

#include <bit>

#include "core/context.h"

namespace tandem {
namespace {

constexpr int64_t kModulus = (int64_t{1} << 31) - 1;
constexpr int64_t kDefaultSeed = 87654321;
constexpr int kN = 624, kM = 397;

int64_t FloorMod(int64_t a) { return (a % kModulus + kModulus) % kModulus; }

}  // namespace

// init_genrand(19650218), then init_by_array over the 32-bit words of |seed| (Matsumoto and Nishimura, mt19937ar.c;
// CPython, _randommodule.c).
PythonRandom::PythonRandom(int64_t seed) {
  const uint64_t magnitude = seed < 0 ? -static_cast<uint64_t>(seed) : static_cast<uint64_t>(seed);
  const uint32_t key[2] = {static_cast<uint32_t>(magnitude), static_cast<uint32_t>(magnitude >> 32)};
  const uint32_t length = key[1] ? 2 : 1;
  state_[0] = 19650218;
  for (uint32_t i = 1; i < kN; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  uint32_t i = 1, j = 0;
  const auto advance = [&] {
    if (++i < kN) return;
    state_[0] = state_[kN - 1];
    i = 1;
  };
  for (int k = 0; k < kN; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525u)) + key[j] + j;
    advance();
    if (++j >= length) j = 0;
  }
  for (int k = 0; k < kN - 1; ++k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941u)) - i;
    advance();
  }
  state_[0] = 0x80000000u;
}

uint32_t PythonRandom::Next() {
  if (at_ == kN) {
    for (int k = 0; k < kN; ++k) {
      const uint32_t y = (state_[k] & 0x80000000u) | (state_[(k + 1) % kN] & 0x7fffffffu);
      state_[k] = state_[(k + kM) % kN] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    at_ = 0;
  }
  uint32_t y = state_[at_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

uint32_t PythonRandom::Below(uint32_t limit) {
  const int bits = std::bit_width(limit);
  while (true)
    if (const uint32_t r = Next() >> (32 - bits); r < limit) return r;
}

void RandomSeeds::Set(int64_t seed) {
  std::lock_guard lock(mutex_);
  global_ = seed;
  draws_.emplace(seed);
  count_ = 0;
  ++epoch_;
}

OpSeeds RandomSeeds::Next(std::optional<int64_t> op_seed) {
  std::lock_guard lock(mutex_);
  if (!global_ && !op_seed) return {0, 0};
  const int64_t global = global_.value_or(kDefaultSeed);
  int64_t own;
  if (op_seed) own = *op_seed;
  else if (mode_ == Mode::kGraph) own = count_++;
  else own = draws_->Below(uint32_t{1} << 31);
  OpSeeds seeds = {FloorMod(global), FloorMod(own)};
  if (seeds.seed == 0 && seeds.seed2 == 0) seeds.seed2 = kModulus;
  return seeds;
}

int64_t RandomSeeds::epoch() const {
  std::lock_guard lock(mutex_);
  return epoch_;
}

RandomSeeds& EagerRandomSeeds() {
  static RandomSeeds* seeds = new RandomSeeds(RandomSeeds::Mode::kEager);
  return *seeds;
}

void SetRandomSeed(int64_t seed) { CurrentContext().base().random_seeds().Set(seed); }

}  // namespace tandem
