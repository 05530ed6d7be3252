// What tapes and variables leave behind, counted by the allocator: nothing.
#include <catch2/catch.hpp>

#include "tandem.h"

namespace tandem {
namespace {

struct Live {
  int64_t blocks, bytes;
  bool operator==(const Live&) const = default;
};
Live Now() {
  const AllocatorStatistics s = GetAllocatorStatistics();
  return {s.live_blocks, s.live_bytes};
}

// Whether pass 10000 ends with what was alive after pass 10.
template <class F>
void CheckNothingStays(F&& pass, int passes = 10000) {
  for (int i = 0; i < 10; ++i) pass();
  const Live after_ten = Now();
  for (int i = 10; i < passes; ++i) pass();
  const Live last = Now();
  CHECK(last.blocks == after_ten.blocks);
  CHECK(last.bytes == after_ten.bytes);
}

const Tensor kRow = {{1., 2., 3., 4.}};

}  // namespace

TEST_CASE("a dropped variable takes its megabyte along") {
  const Tensor megabyte = Tensor(std::vector<float>(1 << 18));
  CheckNothingStays([&] { Variable v(megabyte); }, 1000);
}

TEST_CASE("a tape that nobody asks leaves nothing") {
  Variable w({{1., 2., 3., 4.}});
  CheckNothingStays([&] {
    GradientTape tape;
    const Tensor loss = w * kRow + w;
  });
}

TEST_CASE("intermediates go as the gradient returns") {
  Variable w({{1., 2., 3., 4.}});
  CheckNothingStays([&] {
    GradientTape tape;
    Tensor loss = (w * kRow) * (w * w);
    const Tensor g = tape.Gradient(loss, w);
  });
  const Tensor big = Tensor(std::vector<float>(1 << 18, 1.0f));
  GradientTape tape;
  tape.Watch(big);
  const Live before = Now();
  Tensor y = big * big;
  y = y * big;
  y = y * big;
  CHECK(Now().bytes - before.bytes >= 3 * (1 << 20));
  Tensor g = tape.Gradient(y, big);
  y = Tensor();
  CHECK(Now().bytes - before.bytes < 2 * (1 << 20) + (1 << 16));  // the gradient, and the tape's records
}

TEST_CASE("a persistent tape keeps them until it is dropped") {
  Variable w({{1., 2., 3., 4.}});
  CheckNothingStays([&] {
    GradientTape tape({.persistent = true});
    const Tensor loss = (w * kRow) * (w * w);
    const Tensor g = tape.Gradient(loss, w), again = tape.Gradient(loss, w);
    CHECK(again.data<float>()[0] == g.data<float>()[0]);
  }, 2000);
}

TEST_CASE("a tape over a long loop that is dropped") {
  const Tensor zero = 0.0;
  CheckNothingStays([&] {
    Tensor x = 1.0;
    GradientTape tape;
    tape.Watch(x);
    for (int i = 0; i < 1000; ++i) x = x + zero;
  }, 200);
}

TEST_CASE("a tensor kept from inside a tape keeps no history") {
  const Tensor big = Tensor(std::vector<float>(1 << 18, 1.0f));
  const Live before = Now();
  Tensor kept;
  {
    GradientTape tape;
    tape.Watch(big);
    Tensor y = big * big;
    for (int i = 0; i < 10; ++i) y = y * big;
    kept = y;
  }
  CHECK(Now().blocks - before.blocks == 1);
}

TEST_CASE("nested tapes leave nothing") {
  const Tensor x = 2.0;
  CheckNothingStays([&] {
    GradientTape outer;
    outer.Watch(x);
    Tensor d;
    {
      GradientTape inner;
      inner.Watch(x);
      d = inner.Gradient(x * x * x, x);
    }
    CHECK(outer.Gradient(d, x).item<float>() == 12.0f);
  }, 2000);
}

TEST_CASE("a gradient that fails leaves nothing") {
  const Tensor x = 2.0;
  auto f = CustomGradient([](Tensor t) { return WithGradient{t * t, [](Tensor) { return Tensors{}; }}; });
  CheckNothingStays([&] {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = f(x) * x;
    CHECK_THROWS_AS(tape.Gradient(y, x), Error);
  }, 1000);
}

TEST_CASE("recording makes no call to the system allocator once warm") {
  const Tensor x = 2.0;
  const auto pass = [&] {
    GradientTape tape({.persistent = true});
    tape.Watch(x);
    Tensor y = x;
    for (int i = 0; i < 100; ++i) y = y * x;
  };
  for (int i = 0; i < 5; ++i) pass();
  const int64_t before = GetAllocatorStatistics().system_calls;
  for (int i = 0; i < 100; ++i) pass();
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(GetAllocatorStatistics().system_calls == before);
#endif
}

}  // namespace tandem
