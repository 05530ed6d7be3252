// All halves and bfloat16s there and back, and rounding to nearest even against arithmetic in double.
#include "kernels/vector/portable.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace tandem {
namespace {

bool IsNanBits(uint16_t bits, uint16_t infinity) { return (bits & 0x7fff) > infinity; }

template <typename Widen, typename NarrowTo>
void CheckRoundTrip(Widen widen, NarrowTo narrow, uint16_t infinity) {
  for (size_t offset : {0, 3}) {  // 3: vector and tail see other elements
    std::vector<uint16_t> x(65536 - offset), back(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint16_t>(i + offset);
    std::vector<float> y(x.size());
    widen(x.data(), y.data(), static_cast<int64_t>(x.size()));
    narrow(y.data(), back.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const bool nan = IsNanBits(x[i], infinity);
      if (nan ? !std::isnan(y[i]) || !IsNanBits(back[i], infinity) : back[i] != x[i]) FAIL("bits " << x[i]);
    }
  }
  SUCCEED();
}

TEST_CASE("every half survives a round trip") { CheckRoundTrip(HalfToFloat, FloatToHalf, 0x7c00); }
TEST_CASE("every bfloat16 survives a round trip") { CheckRoundTrip(BfloatToFloat, FloatToBfloat, 0x7f80); }

// Between neighbours a < b of the narrow type: below, at and above the middle.
template <typename Widen, typename NarrowTo>
void CheckRounding(Widen widen, NarrowTo narrow, uint16_t infinity) {
  for (uint16_t bits = 0; bits + 1 < infinity; ++bits) {
    const uint16_t pair[2] = {bits, static_cast<uint16_t>(bits + 1)};
    float value[2];
    widen(pair, value, 2);
    const float middle = static_cast<float>((double{value[0]} + value[1]) / 2);
    // Eight and one: the vector body and the tail.
    float x[9];
    uint16_t y[9];
    for (int i = 0; i < 9; ++i) x[i] = i % 3 == 0 ? middle : i % 3 == 1 ? std::nextafter(middle, 0.0f) : std::nextafter(middle, std::numeric_limits<float>::infinity());
    x[8] = middle;
    narrow(x, y, 9);
    const uint16_t even = bits % 2 ? bits + 1 : bits;
    if (double{middle} * 2 != double{value[0]} + value[1]) continue;  // the middle is no float
    if (y[0] != even || y[1] != bits || y[2] != bits + 1 || y[8] != even) FAIL("after bits " << bits);
  }
  SUCCEED();
}

TEST_CASE("halves round to nearest even") {
  CheckRounding(HalfToFloat, FloatToHalf, 0x7c00);
  const float x[3] = {65504, 65519.996f, 65520};
  uint16_t y[3];
  FloatToHalf(x, y, 3);
  CHECK((y[0] == 0x7bff && y[1] == 0x7bff && y[2] == 0x7c00));
}

TEST_CASE("bfloat16s round to nearest even") {
  CheckRounding(BfloatToFloat, FloatToBfloat, 0x7f80);
  const float x[2] = {1.00390625f, std::numeric_limits<float>::max()};
  uint16_t y[2];
  FloatToBfloat(x, y, 2);
  CHECK((y[0] == 0x3f80 && y[1] == 0x7f80));
}

}  // namespace
}  // namespace tandem
