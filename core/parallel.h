// Loops over cores. The only user of OpenMP, whose runtime oneDNN shares.
//
//   ParallelFor(rows, 64, [&](int64_t begin, int64_t end) { … });   // at least 64 rows a task
//
// A loop inside a loop runs on its own thread. Results must not depend on where the range is cut.
#pragma once
#include <cstdint>

#include "absl/functional/function_ref.h"

namespace tandem {

// Threads that a loop on this thread may use: its budget (thread_state.max_threads, set by a Run), else all cores or
// SetNumThreads.
int NumThreads();
// What the process may use, whatever this thread's budget: SetNumThreads, else OMP_NUM_THREADS, else all cores.
int ProcessThreads();
// For the process; 0 = all cores.
void SetNumThreads(int threads);

// Sets this thread's budget for the life of the scope.
class ThreadBudget {
 public:
  explicit ThreadBudget(int threads);
  ~ThreadBudget();
  ThreadBudget(const ThreadBudget&) = delete;

 private:
  int previous_;
};

// Calls body on parts of [0, n) of at least `grain` each; on this thread alone when there is one part.
void ParallelFor(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t begin, int64_t end)> body);

}  // namespace tandem
