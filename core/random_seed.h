// Seeds: from SetRandomSeed and an op's own seed to the two attributes of a random op, by TensorFlow's rules.
//
//   SetRandomSeed(42);
//   RandomUniform({2});                  // eagerly the same two numbers after each SetRandomSeed(42)
//   RandomUniform({2}, {.seed = 7});
//
// With global seed G and op seed s, (seed, seed2) is: neither given (0, 0), which means a seed at random; only s
// (87654321, s); both (G, s); only G: in a graph (G, 0), (G, 1), … in the order the ops are made, eagerly (G, r) with r
// the next number of Python's random.Random(G), as TensorFlow does. Seeds are taken modulo 2^31 - 1; a pair that comes
// out as (0, 0) becomes (0, 2^31 - 1).
#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/export.h"

namespace tandem {

TANDEM_EXPORT_BEGIN
// Sets the global seed: of the current graph under a GraphScope, else of eager execution, whose random ops all start
// over.
void SetRandomSeed(int64_t seed);
TANDEM_EXPORT_END

struct OpSeeds {
  int64_t seed, seed2;
};

// The numbers of CPython's random.Random(seed): MT19937 with its array initialisation.
class PythonRandom {
 public:
  explicit PythonRandom(int64_t seed);
  uint32_t Next();                   // getrandbits(32)
  uint32_t Below(uint32_t limit);    // randrange(limit), limit > 0
 private:
  std::array<uint32_t, 624> state_;
  int at_ = 624;
};

// The seeds of one graph, or of eager execution. Threads: safe.
class RandomSeeds {
 public:
  enum class Mode { kEager, kGraph };
  explicit RandomSeeds(Mode mode) : mode_(mode) {}
  void Set(int64_t seed);
  OpSeeds Next(std::optional<int64_t> op_seed);
  // How often Set was called: state of random ops from before it is stale.
  int64_t epoch() const;

 private:
  const Mode mode_;
  mutable std::mutex mutex_;
  std::optional<int64_t> global_;
  std::optional<PythonRandom> draws_;
  int64_t count_ = 0, epoch_ = 0;
};

// Those of eager execution.
RandomSeeds& EagerRandomSeeds();

}  // namespace tandem
