#include "core/shape.h"

#include <catch2/catch.hpp>

namespace tandem {

TEST_CASE("shapes print, compare and multiply") {
  struct Row {
    Shape shape;
    const char *text, *tuple;
    std::optional<int64_t> count;
  };
  const int64_t huge = int64_t{1} << 40;
  const Row rows[] = {
      {{}, "[]", "()", 1},
      {{3}, "[3]", "(3,)", 3},
      {{2, 3}, "[2,3]", "(2, 3)", 6},
      {{-1, 784}, "[?,784]", "(None, 784)", std::nullopt},
      {Shape::Unknown(), "<unknown>", "<unknown>", std::nullopt},
      {{huge, huge}, "[1099511627776,1099511627776]", "(1099511627776, 1099511627776)", std::nullopt},
      {{huge, 0, huge}, "[1099511627776,0,1099511627776]", "(1099511627776, 0, 1099511627776)", 0},
      {{1, 2, 1, 1, 2, 1, 3, 1}, "[1,2,1,1,2,1,3,1]", "(1, 2, 1, 1, 2, 1, 3, 1)", 12},
  };
  for (const Row& row : rows) {
    CHECK(row.shape.ToString() == row.text);
    CHECK(row.shape.ToTuple() == row.tuple);
    CHECK(row.shape.num_elements() == row.count);
    Shape copy = row.shape, moved = std::move(copy);
    CHECK(moved == row.shape);
    copy = moved;
    CHECK(copy == row.shape);
  }
}

TEST_CASE("merging keeps what both say") {
  CHECK(*Shape({-1, 3}).MergedWith({2, -1}) == Shape{2, 3});
  CHECK(*Shape::Unknown().MergedWith({2, -1}) == Shape{2, -1});
  CHECK(!Shape({2}).MergedWith({3}));
  CHECK(!Shape({2}).MergedWith({2, 1}));
}

TEST_CASE("a shape grows past what lies in it") {
  Shape s;
  for (int64_t i = 0; i < 20; ++i) s.push_back(i);
  CHECK(s.rank() == 20);
  CHECK(s[19] == 19);
  CHECK(s[0] == 0);
  for (int i = 0; i < 300; ++i) s.push_back(1);
  CHECK(!s.known_rank());
}

}  // namespace tandem
