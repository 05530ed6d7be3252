#include "tandem.h"
#include "tools/bench/bench.h"

namespace tandem::bench {
namespace {

const Tensor& Small() {
  static const Tensor t = {{1., .5}, {.25, 1.}};
  return t;
}

// A thousand recorded products against a thousand unrecorded ones: the tape's own cost is spread thin.
Measured Record() {
  const Tensor x = Small(), w = {{2., .5}, {.25, 1.}};
  return Compare(
      [&] {
        GradientTape tape;
        tape.Watch(x);
        for (int i = 0; i < 1000; ++i) Tensor y = x * w;
      },
      [&] {
        for (int i = 0; i < 1000; ++i) Tensor y = x * w;
      });
}

Measured Chain100() {
  const Tensor x = Small(), w = {{1., .5}, {.25, 1.}};
  const auto forward = [&] {
    Tensor y = x;
    for (int i = 0; i < 100; ++i) y = y * w;
    return y;
  };
  return Compare(
      [&] {
        GradientTape tape;
        tape.Watch(x);
        const Tensor y = forward();
        Tensor g = tape.Gradient(y, x);
      },
      [&] { Tensor y = forward(); });
}

}  // namespace

std::vector<Bench> TapeBenches() {
  return {
      {"tape_record", "1,000 products of a watched float32[2,2] and another on a tape / unrecorded", 2.4, Record},
      {"tape_chain_100", "100 products by an unwatched float32[2,2], forward and backward / forward unrecorded", 6, Chain100},
  };
}

}  // namespace tandem::bench
