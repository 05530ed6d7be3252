// Catch2's main, compiled here so that --config=tsan can build it without signal handlers. A binary that defines
// tandem::RunProgram (tests/catch/program.h) is a program too: with a folder as its first argument it runs that.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <filesystem>

#include "tests/catch/program.h"

namespace tandem {
[[gnu::weak]] int RunProgram(int argc, char** argv);
}  // namespace tandem

int main(int argc, char** argv) {
  if (argc > 1 && &tandem::RunProgram && std::filesystem::is_directory(argv[1])) return tandem::RunProgram(argc, argv);
  return Catch::Session().run(argc, argv);
}
