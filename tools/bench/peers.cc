#include "tools/bench/peers.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "nlohmann/json.hpp"

namespace tandem::bench {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(const std::function<void()>& run, int64_t calls) {
  const auto begin = Clock::now();
  for (int64_t i = 0; i < calls; ++i) run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double UnitsPerSecond(const std::string& unit) { return unit == "ns" ? 1e9 : unit == "us" ? 1e6 : 1e3; }

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void Emit(const PeerItem& item, const PeerRow& row, std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const double median = samples[samples.size() / 2];
  std::printf("%3s %-34s %-34s %12.4g %12.4g %s\n", item.item.c_str(), row.row.c_str(), ("tandem " + row.variant).c_str(), samples[0],
              median, item.unit.c_str());
  std::fflush(stdout);
  const std::string path = Environment("PEER_OUT");
  if (path.empty()) return;
  std::ofstream(path, std::ios::app) << nlohmann::json{{"item", item.item}, {"row", row.row}, {"peer", "tandem"}, {"variant", row.variant},
                                                       {"unit", item.unit}, {"min", samples[0]}, {"med", median}, {"n", samples.size()},
                                                       {"threads", 1}, {"ver", "tandem"}, {"tag", Environment("PEER_TAG")},
                                                       {"t", std::time(nullptr)}, {"cmd", "tandem bench --peer " + item.item}}
                                            .dump()
                                     << '\n';
}

}  // namespace

std::vector<PeerItem> PeerItems() {
  return {SmallOpsPeer(), ExecutorPeer(), FusionPeer(), ModelsPeer(), OptimiserPeer(), ImportPeer(), TapePeer(), DataPeer()};
}

void RunPeer(const PeerItem& item) {
  constexpr int kRounds = 15;
  constexpr double kSample = 8e-3, kBudget = 5;  // seconds
  struct Timed {
    PeerRow row;
    int64_t calls;
    int rounds;
    std::vector<double> samples;
  };
  std::vector<Timed> all;
  for (PeerRow& row : item.rows()) {
    Seconds(row.run, 2);
    const double once = std::max(Seconds(row.run, 1), 1e-9);
    const auto calls = std::max<int64_t>(1, static_cast<int64_t>(kSample / std::max(once, 2e-8)));
    all.push_back({std::move(row), calls, std::clamp(static_cast<int>(kBudget / (once * calls)), 3, kRounds), {}});
  }
  for (int round = 0; round < kRounds; ++round)
    for (Timed& t : all)
      if (round < t.rounds) t.samples.push_back(Seconds(t.row.run, t.calls) / t.calls / t.row.per * UnitsPerSecond(item.unit));
  for (const Timed& t : all) Emit(item, t.row, t.samples);
}

}  // namespace tandem::bench
