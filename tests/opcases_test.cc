// What TensorFlow says of single ops: tests/data/opcases as a test, or `opcases_test FOLDER [OP...]` over any folder.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>

#include "core/op.h"
#include "tests/catch/program.h"
#include "tests/opcases.h"

namespace tandem {

int RunProgram(int argc, char** argv) {
  const std::string folder = argv[1];
  std::vector<std::string> ops(argv + 2, argv + argc);
  if (ops.empty()) ops = GoldenOps(folder);
  int right = 0, total = 0, skipped = 0;
  for (const std::string& op : ops) {
    std::vector<GoldenCase> cases;
    try {
      cases = LoadGoldenCases(folder, op);
    } catch (const Error& e) {
      std::printf("%s: %s\n", op.c_str(), e.what());
      ++total;
      continue;
    }
    for (const GoldenCase& c : cases) {
      if (!c.supported()) {
        ++skipped;
        continue;
      }
      ++total;
      bool good = true;
      for (const GoldenMode& mode : GoldenModes()) {
        const std::string wrong = CheckGoldenCase(c, mode);
        if (wrong.empty()) continue;
        std::printf("%s, %s: %s\n", c.title().c_str(), mode.name, wrong.c_str());
        good = false;
      }
      right += good;
    }
  }
  std::printf("opcases: %d of %d right, %d skipped (op not here)\n", right, total, skipped);
  return right == total ? 0 : 1;
}

TEST_CASE("ops give what TensorFlow gives") {
  const std::string folder = "tests/data/opcases";
  int checked = 0;
  for (const std::string& op : GoldenOps(folder)) {
    for (const GoldenCase& c : LoadGoldenCases(folder, op)) {
      if (!c.supported()) continue;
      ++checked;
      for (const GoldenMode& mode : GoldenModes()) {
        INFO(c.title() << ", " << mode.name);
        CHECK(CheckGoldenCase(c, mode) == "");
      }
    }
  }
  CHECK(checked > 0);
}

TEST_CASE("a wrong value, dtype, shape or code is seen") {
  const auto cases = LoadGoldenCases("tests/data/opcases", "Identity");
  REQUIRE(!cases.empty());
  const GoldenMode& eager = GoldenModes()[0];
  GoldenCase c = cases[0];
  REQUIRE(CheckGoldenCase(c, eager) == "");
  c.wants[0].second = Tensor(1.5);
  CHECK(CheckGoldenCase(c, eager) != "");
  c.wants.clear();
  c.error = "INVALID_ARGUMENT";
  CHECK(CheckGoldenCase(c, eager) == "ran, want INVALID_ARGUMENT");
}

}  // namespace tandem
