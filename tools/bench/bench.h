// One line of `tandem bench`: our code and what it is measured against, interleaved in one run.
//
//   Benches().push_back({"eager_add_2x2", "…", 3.5, [] { return Compare(ours, reference); }});
//
// Both are called in turn, and of each the fastest sample counts: on a machine that others use, the minimum is the figure
// that repeats.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tandem::bench {

struct Measured {
  double ns = 0;             // a call, ours
  double reference_ns = 0;   // a call of what it is compared with
  int64_t allocations = 0;   // heap allocations of one warm call of ours: operator new, and the tensor allocator's system calls
};

struct Bench {
  std::string name;
  std::string what;          // "a + b on float32[2,2] / one pooled output and one indirect call"
  double target = 0;         // the ratio must not exceed it
  std::function<Measured()> run;
  bool needs_no_allocation = false;
};
std::vector<Bench> EagerBenches();
std::vector<Bench> FusionBenches();
std::vector<Bench> SessionBenches();
std::vector<Bench> TapeBenches();
std::vector<Bench> GraphBenches();
std::vector<Bench> CheckpointBenches();
std::vector<Bench> SummaryBenches();
std::vector<Bench> DataBenches();
std::vector<Bench> TrainingBenches();

// Calls of operator new in this process so far.
int64_t HeapAllocations();

// Nanoseconds a call: the fastest of `samples`, each of so many calls that it takes about `sample_ms`.
template <class F, class G>
Measured Compare(F ours, G reference, int samples = 25, double sample_ms = 2) {
  using Clock = std::chrono::steady_clock;
  const auto time = [](auto& f, int64_t calls) {
    const auto begin = Clock::now();
    for (int64_t i = 0; i < calls; ++i) f();
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  };
  const auto calls_for = [&](auto& f) {
    int64_t calls = 1;
    while (time(f, calls) < sample_ms * 1e6 && calls < (int64_t{1} << 30)) calls *= 2;
    return calls;
  };
  const int64_t ours_calls = calls_for(ours), reference_calls = calls_for(reference);
  Measured m{1e300, 1e300};
  for (int i = 0; i < samples; ++i) {
    m.ns = std::min(m.ns, time(ours, ours_calls) / ours_calls);
    m.reference_ns = std::min(m.reference_ns, time(reference, reference_calls) / reference_calls);
  }
  const int64_t before = HeapAllocations();
  ours();
  m.allocations = HeapAllocations() - before;
  return m;
}

}  // namespace tandem::bench
