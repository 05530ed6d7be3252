#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "tandem.h"
#include "tests/temp_file.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const Tensor kTable = {{1, 2}, {3, 4}, {5, 6}};

TEST_CASE("asserts, checks and prints") {
  Assert(true, {kTable});
  CHECK(Thrown([] { Assert(false, {kTable, Tensor("why")}); }) == "INVALID_ARGUMENT Assert: assertion failed: [[1 2][3...]...] [why]");
  CHECK(Thrown([] { Assert({true, true}, {kTable}); }) == "INVALID_ARGUMENT Assert: condition must be a scalar, is [2]");
  const Tensor x = {1.f, 2.f};
  CHECK(CheckNumerics(x, "m").rep() == x.rep());
  CHECK(Thrown([] { CheckNumerics({1.f, INFINITY, NAN}, "loss"); }) == "INVALID_ARGUMENT CheckNumerics: loss : tensor had NaN and Inf values");
  CHECK(Thrown([] { CheckNumerics({1.f, INFINITY}, "loss"); }) == "INVALID_ARGUMENT CheckNumerics: loss : tensor had Inf values");
}

TEST_CASE("string_format") {
  const auto text = [](const Tensor& t, int64_t summarize = 3) { return StringFormat("%s", {t}, {.summarize = summarize}).item<std::string>(); };
  CHECK(text({1.f, 2.5f, 0.1f}) == "[1 2.5 0.1]");
  CHECK(text({{1, 2}, {3, 4}}) == "[[1 2]\n [3 4]]");
  CHECK(text(Range(10)) == "[0 1 2 ... 7 8 9]");
  CHECK(text(Range(10), -1) == "[0 1 2 3 4 5 6 7 8 9]");
  CHECK(text(Range(6)) == "[0 1 2 3 4 5]");
  CHECK(text({0.333333343f, 1e10f, 1e-5f, 123456792.f}, -1) == "[0.333333343 1e+10 1e-05 123456792]");
  CHECK(text("a \"b\"") == "\"a \\\"b\\\"\"");
  CHECK(text({true, false}) == "[1 0]");
  CHECK(StringFormat("a {} b {}", {1, 2}, {.placeholder = "{}"}).item<std::string>() == "a 1 b 2");
  CHECK(Thrown([] { StringFormat("%s %s", {1}); }) == "INVALID_ARGUMENT StringFormat: the template has 2 placeholders, for 1 inputs");
}

TEST_CASE("printv2 appends to a file") {
  const std::string path = TempPath("printed");
  std::remove(path.c_str());
  PrintV2(Tensor("one"), {.output_stream = "file://" + path});
  PrintV2(Tensor("two"), {.output_stream = "file://" + path, .end = ""});
  std::FILE* file = std::fopen(path.c_str(), "r");
  REQUIRE(file);
  char text[32] = {};
  CHECK(std::fread(text, 1, sizeof text - 1, file) == 7);
  std::fclose(file);
  CHECK(std::string(text) == "one\ntwo");
  CHECK(Thrown([] { PrintV2(Tensor("x"), {.output_stream = "nowhere"}); }).starts_with("INVALID_ARGUMENT PrintV2: attribute output_stream is \"nowhere\""));
}

}  // namespace
}  // namespace tandem
