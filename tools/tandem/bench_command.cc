#include <atomic>
#include <cstdlib>
#include <iostream>
#include <new>

#include "core/allocator.h"
#include "nlohmann/json.hpp"
#include "tools/bench/bench.h"
#include "tools/bench/peers.h"
#include "tools/tandem/commands.h"

namespace {

std::atomic<int64_t> news = 0;

void* CountedAllocate(size_t bytes) {
  news.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}

}  // namespace

// Counting replacements, so that a bench can say how many allocations a call makes.
void* operator new(size_t bytes) { return CountedAllocate(bytes); }
void* operator new[](size_t bytes) { return CountedAllocate(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }

namespace tandem::bench {

int64_t HeapAllocations() { return news.load(std::memory_order_relaxed) + GetAllocatorStatistics().system_calls; }

}  // namespace tandem::bench

namespace tandem::tool {
namespace {

std::string Time(double ns) {
  char text[32];
  if (ns < 1e3) std::snprintf(text, sizeof text, "%.1f ns", ns);
  else if (ns < 1e6) std::snprintf(text, sizeof text, "%.2f us", ns / 1e3);
  else std::snprintf(text, sizeof text, "%.2f ms", ns / 1e6);
  return text;
}

int Run(const std::vector<std::string>& names, bool as_json) {
  std::vector<bench::Bench> all;
  for (const auto& list : {bench::EagerBenches(), bench::FusionBenches(), bench::SessionBenches(), bench::TapeBenches(), bench::GraphBenches(),
                           bench::CheckpointBenches(), bench::SummaryBenches(), bench::DataBenches(), bench::TrainingBenches()})
    all.insert(all.end(), list.begin(), list.end());
  for (const std::string& name : names)
    if (std::none_of(all.begin(), all.end(), [&](const auto& b) { return b.name == name; }))
      throw CLI::ValidationError("NAME", name + ": there is no such bench; `tandem bench` runs all");
  nlohmann::json rows = nlohmann::json::array();
  bool all_ok = true;
  for (const bench::Bench& b : all) {
    if (!names.empty() && std::find(names.begin(), names.end(), b.name) == names.end()) continue;
    const bench::Measured m = b.run();
    const double ratio = m.ns / m.reference_ns;
    const bool ok = ratio <= b.target && (!b.needs_no_allocation || m.allocations == 0);
    all_ok &= ok;
    if (as_json) {
      rows.push_back({{"name", b.name}, {"ns", m.ns}, {"reference_ns", m.reference_ns}, {"ratio", ratio}, {"target", b.target},
                      {"allocations", m.allocations}, {"ok", ok}});
      continue;
    }
    char line[160];
    std::snprintf(line, sizeof line, "%-20s %12s / %-12s ratio %6.2f  target %5.2f  allocations %-6ld %s", b.name.c_str(), Time(m.ns).c_str(),
                  Time(m.reference_ns).c_str(), ratio, b.target, static_cast<long>(m.allocations), ok ? "ok" : "MISSED");
    std::cout << line << "\n    " << b.what << std::endl;
  }
  if (as_json) std::cout << rows.dump(1) << '\n';
  return all_ok ? 0 : 1;
}

int RunPeerItem(const std::string& number) {
  std::string known;
  for (const bench::PeerItem& item : bench::PeerItems()) {
    if (item.item == number) {
      bench::RunPeer(item);
      return 0;
    }
    known += (known.empty() ? "" : ", ") + item.item + " (" + item.what + ")";
  }
  throw CLI::ValidationError("--peer", number + ": there is no such item; there are " + known);
}

}  // namespace

void AddBench(CLI::App& app, Action& chosen) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  CLI::App* bench = app.add_subcommand("bench", "Measures what Tandem promises: each line is a ratio of two things timed in this run");
  bench->add_option("NAME", *names, "Only these: tandem bench eager_add_2x2 callable_trivial");
  bench->add_flag("--json", *json, "A list of {name, ns, reference_ns, ratio, target, allocations, ok}");
  auto peer = std::make_shared<std::string>();
  bench->add_option("--peer", *peer, "Instead: the work that other frameworks are timed on, by the number of its item; rows go to $PEER_OUT")->type_name("ITEM");
  bench->footer("Needs a quiet machine; taskset -c 0 keeps it on one core. Exit status 1 when a line misses its target.");
  bench->callback([=, &chosen] { chosen = [=] { return peer->empty() ? Run(*names, *json) : RunPeerItem(*peer); }; });
}

}  // namespace tandem::tool
