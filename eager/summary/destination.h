// Where a summary goes, and under which step. Internal to summaries.
#pragma once
#include <optional>

#include "eager/summary/event_queue.h"
#include "eager/summary/recording.h"

namespace tandem::summary {

struct Destination {
  EventQueue* queue = nullptr;  // null: nothing is to be written
  int64_t step = 0;
  explicit operator bool() const { return queue != nullptr; }
};

// The default writer when the scopes let the step pass: the one given, else the global step.
Destination FindDestination(std::optional<int64_t> step);

}  // namespace tandem::summary
