#include "core/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "core/thread_state.h"

namespace tandem {
namespace {

std::atomic<int> process_threads = 0;

}  // namespace

void SetNumThreads(int threads) { process_threads.store(std::max(threads, 0), std::memory_order_relaxed); }

int ProcessThreads() {
  const int set = process_threads.load(std::memory_order_relaxed);
  if (set > 0) return set;
  static const int cores = [] {
    const char* wanted = std::getenv("OMP_NUM_THREADS");
    const int limit = wanted ? std::atoi(wanted) : 0;
    const int procs = std::max(omp_get_num_procs(), 1);
    return limit > 0 ? std::min(limit, procs) : procs;
  }();
  return cores;
}

int NumThreads() { return thread_state.max_threads > 0 ? thread_state.max_threads : ProcessThreads(); }

ThreadBudget::ThreadBudget(int threads) : previous_(thread_state.max_threads) {
  thread_state.max_threads = threads;
  omp_set_num_threads(NumThreads());  // oneDNN's loops on this thread keep to the same budget
}
ThreadBudget::~ThreadBudget() {
  thread_state.max_threads = previous_;
  omp_set_num_threads(NumThreads());
}

void ParallelFor(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t, int64_t)> body) {
  if (n <= 0) return;
  const int64_t parts = std::min<int64_t>(NumThreads(), n / std::max<int64_t>(grain, 1));
  if (parts <= 1 || omp_in_parallel()) {
    body(0, n);
    return;
  }
#pragma omp parallel for num_threads(static_cast<int>(parts)) schedule(static, 1)
  for (int64_t p = 0; p < parts; ++p) body(n * p / parts, n * (p + 1) / parts);
}

}  // namespace tandem
