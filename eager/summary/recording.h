// Which summaries are written, and where to: scopes of the calling thread.
//
//   summary::FileWriter writer(logdir);
//   auto scope = writer.AsDefault();
//   summary::RecordEveryNGlobalSteps every(100);
//   summary::Scalar("loss", loss);                 // at steps 0, 100, 200, …
//   {
//     summary::AlwaysRecord always;
//     summary::Scalar("accuracy", accuracy);       // at every step
//   }
//
// Without a default writer a summary does nothing. With one and without a scope below it is written. Scopes end in reverse
// order, on the thread that made them.
#pragma once
#include <cstdint>
#include <memory>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem::summary {

class EventQueue;

// What FileWriter::AsDefault gives: the writer is the thread's default for the life of the scope.
class DefaultScope {
 public:
  explicit DefaultScope(std::shared_ptr<EventQueue> queue);
  ~DefaultScope();
  DefaultScope(const DefaultScope&) = delete;
  DefaultScope& operator=(const DefaultScope&) = delete;

 private:
  const std::shared_ptr<EventQueue> queue_;
  EventQueue* const outer_;
};

// One condition; the innermost decides.
class RecordScope {
 public:
  RecordScope(const RecordScope&) = delete;
  RecordScope& operator=(const RecordScope&) = delete;
  ~RecordScope();

 protected:
  explicit RecordScope(int64_t every);

 private:
  const int64_t outer_;
};

// Only where the step is a multiple of n. INVALID_ARGUMENT unless n is 1 or more.
class RecordEveryNGlobalSteps : public RecordScope {
 public:
  explicit RecordEveryNGlobalSteps(int64_t n);
};
class AlwaysRecord : public RecordScope {
 public:
  AlwaysRecord() : RecordScope(1) {}
};
class NeverRecord : public RecordScope {
 public:
  NeverRecord() : RecordScope(0) {}
};

// Whether a summary made now would be written: for values that cost to compute.
bool ShouldRecord();

}  // namespace tandem::summary
TANDEM_EXPORT_END
