#include "core/bundle/tensor_slice.h"

#include <catch2/catch.hpp>

#include "absl/strings/escaping.h"

namespace tandem {
namespace {

std::string Parsed(const std::string& text) {
  const auto spec = ParseShapeAndSlice(text);
  if (!spec.ok()) return std::string(spec.status().message());
  return *spec ? (*spec)->full.ToString() + " " + (*spec)->slice.ToString() + " " + (*spec)->shape.ToString() : "whole";
}

std::string Key(const std::string& name, std::vector<int64_t> start, std::vector<int64_t> length) {
  return absl::BytesToHexString(SliceKey(name, {std::move(start), std::move(length)}));
}

}  // namespace

TEST_CASE("the text of a slice") {
  CHECK(Parsed("") == "whole");
  CHECK(Parsed("10 3 0,4:-") == "[10,3] 0,4:- [4,3]");
  CHECK(Parsed("2 7 0,2:4,3") == "[2,7] 0,2:4,3 [2,3]");
  CHECK(Parsed("5 5,0") == "[5] 5,0 [0]");
  CHECK(Parsed("5") == "shape_and_slices \"5\": needs dimensions, a space and a slice");
  CHECK(Parsed("5 -:-") == "shape_and_slices \"5 -:-\": 1 dimensions, the slice has 2");
  CHECK(Parsed("x -") == "shape_and_slices \"x -\": \"x\" is no dimension");
  CHECK(Parsed("-1 -") == "shape_and_slices \"-1 -\": \"-1\" is no dimension");
  CHECK(Parsed("99999999999999999999 -") == "shape_and_slices \"99999999999999999999 -\": \"99999999999999999999\" is no dimension");
  CHECK(Parsed("5 3") == "shape_and_slices \"5 3\": \"3\" is neither \"-\" nor \"start,length\"");
  CHECK(Parsed("5 3,3") == "slice 3,3 is no part of [5] (dimension 0)");
  CHECK(Parsed("5 3,9223372036854775807") == "slice 3,9223372036854775807 is no part of [5] (dimension 0)");
  CHECK(Parsed("4294967296 4294967296 -:-") == "shape_and_slices \"4294967296 4294967296 -:-\": more than 2^63 - 1 elements");
}

TEST_CASE("the key of a slice is TensorFlow's") {
  CHECK(Key("cols", {0, 4}, {2, 3}) == "00636f6c730001010280828483");
  CHECK(Key("v", {0}, {TensorSlice::kWhole}) == "00760001" "0101" "80" "7f");
  CHECK(Key(std::string("a\0\xff", 3), {63}, {64}) == "006100ffff000001" "0101" "bf" "c040");
  CHECK(Key("v", {8192}, {1 << 20}) == "00760001" "0101" "e02000" "f0100000");
  CHECK(Key("v", {}, {}) == "00760001" "00");
}

TEST_CASE("parts are copied between slices") {
  // Rows 1..3, columns 0..2 of a [4,3] that is stored in rows 0..2 and 2..4.
  const int lower[] = {0, 1, 2, 10, 11, 12}, upper[] = {20, 21, 22, 30, 31, 32};
  const TensorSlice first = {{0, 0}, {2, 3}}, second = {{2, 0}, {2, 3}}, wanted = {{1, 0}, {2, 2}};
  int out[4] = {};
  CopySlice(*Overlap(first, wanted), first, lower, wanted, out, sizeof(int));
  CopySlice(*Overlap(second, wanted), second, upper, wanted, out, sizeof(int));
  CHECK(std::vector<int>(out, out + 4) == std::vector<int>{10, 11, 20, 21});
  CHECK(!Overlap(first, second));
}

}  // namespace tandem
