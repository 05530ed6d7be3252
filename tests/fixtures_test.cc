// What TensorFlow wrote: tests/data/fixtures as a test, or `fixtures_test FOLDER [NAME...]` over any folder.
#include "tests/fixtures.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/catch/program.h"

namespace tandem {
namespace {

constexpr std::pair<OptLevel, const char*> kLevels[] = {{OptLevel::kO0, "O0"}, {OptLevel::kO2, "O2"}};

}  // namespace

int RunProgram(int argc, char** argv) {
  const std::vector<std::string> names(argv + 2, argv + argc);
  int right = 0, total = 0, skipped = 0;
  for (const Fixture& f : LoadFixtures(argv[1])) {
    if (!names.empty() && std::find(names.begin(), names.end(), f.name) == names.end()) continue;
    if (!f.supported()) {
      ++skipped;
      if (!names.empty()) std::printf("%s: skipped, %s\n", f.name.c_str(), f.missing.c_str());
      continue;
    }
    ++total;
    bool good = true;
    for (const auto& [level, name] : kLevels) {
      std::string wrong;
      try {
        wrong = CheckFixture(f, level);
      } catch (const std::exception& e) {
        wrong = e.what();
      }
      if (wrong.empty()) continue;
      if (wrong.starts_with("skipped")) {
        good = false;
        --total;
        ++skipped;
        break;
      }
      std::printf("%s%s, %s: %s\n", f.broken ? "broken/" : "", f.name.c_str(), name, wrong.c_str());
      good = false;
    }
    right += good;
  }
  std::printf("fixtures: %d of %d right, %d skipped\n", right, total, skipped);
  return right == total ? 0 : 1;
}

TEST_CASE("graphs and broken files give what TensorFlow says") {
  int checked = 0;
  for (const Fixture& f : LoadFixtures("tests/data/fixtures")) {
    if (!f.supported()) continue;
    ++checked;
    for (const auto& [level, name] : kLevels) {
      INFO(f.name << ", " << name);
      const std::string wrong = CheckFixture(f, level);
      if (!wrong.starts_with("skipped")) CHECK(wrong == "");
    }
  }
  CHECK(checked > 0);
}

}  // namespace tandem
