// Every permutation of shapes that merge, cut tiles, enlarge elements or hold nothing, against index arithmetic.
#include "kernels/vector/transpose.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace tandem {
namespace {

using Dims = std::vector<int64_t>;

std::vector<uint8_t> Expected(const std::vector<uint8_t>& x, const Dims& dims, const Dims& perm, int64_t bytes) {
  const int rank = static_cast<int>(dims.size());
  Dims stride(rank, bytes), index(rank, 0);
  for (int d = rank - 2; d >= 0; --d) stride[d] = stride[d + 1] * dims[d + 1];
  std::vector<uint8_t> y;
  y.reserve(x.size());
  for (size_t i = 0; i < x.size() / bytes; ++i) {
    int64_t at = 0;
    for (int d = 0; d < rank; ++d) at += index[d] * stride[perm[d]];
    y.insert(y.end(), x.begin() + at, x.begin() + at + bytes);
    for (int d = rank - 1; d >= 0 && ++index[d] == dims[perm[d]]; --d) index[d] = 0;
  }
  return y;
}

bool Transposes(const Dims& dims, const Dims& perm, int64_t bytes) {
  const int64_t n = std::accumulate(dims.begin(), dims.end(), bytes, std::multiplies<>());
  std::vector<uint8_t> x(n), y(n + 8, 0xCD);
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
  const TransposePlan plan(dims, perm, bytes);
  const int64_t middle = plan.tiles() / 3;  // in two parts, the later first
  plan.Run(x.data(), y.data(), middle, plan.tiles());
  plan.Run(x.data(), y.data(), 0, middle);
  const bool canary = std::all_of(y.begin() + n, y.end(), [](uint8_t v) { return v == 0xCD; });
  y.resize(n);
  return canary && y == Expected(x, dims, perm, bytes);
}

TEST_CASE("transposes by every permutation") {
  const Dims shapes[] = {{}, {5}, {0, 3}, {1, 1}, {7, 9}, {16, 33}, {65, 70}, {100, 4}, {2, 100}, {3, 1, 4}, {2, 3, 5}, {17, 2, 19}, {8, 8, 8}, {1, 40, 3, 1}, {2, 5, 3, 7}, {2, 2, 2, 2, 2}, {2, 1, 3, 4, 33}};
  for (const Dims& dims : shapes) {
    Dims perm(dims.size());
    std::iota(perm.begin(), perm.end(), 0);
    do {
      for (int64_t bytes : {1, 2, 4, 8, 16}) {
        if (!Transposes(dims, perm, bytes)) {
          std::string text;
          for (size_t d = 0; d < dims.size(); ++d) text += std::to_string(dims[d]) + " by " + std::to_string(perm[d]) + "; ";
          FAIL(text << bytes << " bytes");
        }
      }
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
  SUCCEED();
}

TEST_CASE("transposes sixteen dimensions of two") {
  const Dims dims(16, 2);
  Dims reversed(16), halves(16), same(16);
  for (int d = 0; d < 16; ++d) {
    reversed[d] = 15 - d;
    halves[d] = (d + 8) % 16;
    same[d] = d;
  }
  for (const Dims& perm : {reversed, halves, same}) CHECK(Transposes(dims, perm, 4));
}

TEST_CASE("long contiguous rows are split for threads") {
  const Dims dims = {300000}, perm = {0};
  CHECK(Transposes(dims, perm, 1));
  CHECK(TransposePlan(dims, perm, 1).tiles() == 5);
  CHECK(Transposes({3, 2, 70001}, {1, 0, 2}, 1));
}

}  // namespace
}  // namespace tandem
