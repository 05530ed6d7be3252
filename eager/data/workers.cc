#include "eager/data/workers.h"

#include <system_error>

#include "core/context.h"
#include "core/parallel.h"

namespace tandem::data::internal {

void Workers::Start(int count, const std::function<void()>& body, const std::function<void()>& stop) {
  for (int i = 0; i < count; ++i) {
    try {
      threads_.emplace_back([body] {
        ContextScope eager(nullptr);
        const ThreadBudget one(1);
        body();
      });
    } catch (const std::system_error& e) {
      stop();
      Join();
      ThrowError(absl::ResourceExhaustedError(absl::StrCat("Dataset: no thread to be had: ", e.what())));
    }
  }
}

void Workers::Join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace tandem::data::internal
