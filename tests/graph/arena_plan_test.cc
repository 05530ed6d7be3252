#include "graph/arena_plan.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace tandem {

TEST_CASE("taken ranges never overlap and freed ones are used again") {
  ArenaPlan arena;
  const int64_t a = arena.Take(100), b = arena.Take(64), c = arena.Take(200);
  CHECK(a == 0);
  CHECK(b == 128);
  CHECK(c == 192);
  arena.Give(a);
  arena.Give(b);
  CHECK(arena.Take(190) == 0);  // both joined
  CHECK(arena.size() == 448);

  std::mt19937 random(1);
  std::vector<std::pair<int64_t, int64_t>> live;
  ArenaPlan many;
  for (int i = 0; i < 5000; ++i) {
    if (!live.empty() && random() % 2) {
      const size_t k = random() % live.size();
      many.Give(live[k].first);
      live[k] = live.back();
      live.pop_back();
    } else {
      const int64_t bytes = random() % 1000;
      const int64_t offset = many.Take(bytes);
      for (const auto& [o, n] : live) CHECK((offset >= o + n || offset + bytes <= o));
      live.emplace_back(offset, bytes);
    }
  }
}

TEST_CASE("a chain of buffers needs two") {
  ArenaPlan arena;
  int64_t previous = arena.Take(1000);
  for (int i = 0; i < 100; ++i) {
    const int64_t next = arena.Take(1000);
    arena.Give(previous);
    previous = next;
  }
  CHECK(arena.size() == 2048);
}

}  // namespace tandem
