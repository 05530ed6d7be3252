#include "eager/summary/recording.h"

#include "core/context.h"
#include "core/status.h"
#include "eager/summary/destination.h"
#include "eager/train/global_step.h"

namespace tandem::summary {
namespace {

constinit thread_local EventQueue* default_queue = nullptr;
constinit thread_local int64_t record_every = 1;  // 0: never

}  // namespace

DefaultScope::DefaultScope(std::shared_ptr<EventQueue> queue) : queue_(std::move(queue)), outer_(default_queue) { default_queue = queue_.get(); }
DefaultScope::~DefaultScope() { default_queue = outer_; }

RecordScope::RecordScope(int64_t every) : outer_(record_every) { record_every = every; }
RecordScope::~RecordScope() { record_every = outer_; }

RecordEveryNGlobalSteps::RecordEveryNGlobalSteps(int64_t n) : RecordScope(n) {
  if (n < 1) ThrowError(InvalidArgument("RecordEveryNGlobalSteps: n is ", n, ", must be at least 1"));
}

Destination FindDestination(std::optional<int64_t> step) {
  if (!default_queue || record_every == 0) return {};
  const ContextScope eager(nullptr);  // the step is read now, whatever is being recorded
  const int64_t now = step ? *step : train::GetOrCreateGlobalStep().item<int64_t>();
  if (now % record_every != 0) return {};
  return {default_queue, now};
}

bool ShouldRecord() { return static_cast<bool>(FindDestination({})); }

}  // namespace tandem::summary
