#include <unistd.h>

#include <filesystem>

#include "tandem.h"
#include "tools/bench/bench.h"

namespace tandem::bench {
namespace {

// What the caller of Scalar pays, against a fixed 2 µs: a loop that spins as long.
Measured ScalarEvent() {
  const auto folder = std::filesystem::temp_directory_path() / ("tandem_bench_" + std::to_string(getpid()));
  Measured m;
  {
    summary::FileWriter writer(folder.string(), {.max_queue = 1 << 20});  // the disk is not what is timed
    const auto scope = writer.AsDefault();
    const Tensor loss = 0.5;
    m = Compare([&] { summary::Scalar("loss", loss); },
                [] {
                  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(2000);
                  while (std::chrono::steady_clock::now() < until) {
                  }
                }, 25, 0.5);
  }
  std::filesystem::remove_all(folder);
  return m;
}

}  // namespace

std::vector<Bench> SummaryBenches() { return {{"scalar_event", "an event of one scalar on the caller's thread / 2 µs", 1, ScalarEvent}}; }

}  // namespace tandem::bench
