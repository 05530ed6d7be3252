// Events on their way to a file: the caller hands them over, a thread writes them. Internal to summaries.
//
// The thread wakes when the queue is half full, when someone flushes, and every two seconds; then what was written is
// readable by others. A full queue makes the caller wait. At the exit of the process every queue is flushed.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/record_io.h"
#include "core/status.h"

namespace tandem::proto {
class Event;
}

namespace tandem::summary {

class EventQueue {
 public:
  // Makes the folder and, in it, a file with a name of its own. Errors name the file.
  static absl::StatusOr<std::shared_ptr<EventQueue>> Open(const std::string& logdir, int64_t max_queue, const std::string& suffix);
  ~EventQueue();

  // A scalar takes no message on the caller's thread.
  absl::Status PushScalar(std::string_view tag, float value, int64_t step);
  // Sets the time.
  absl::Status Push(proto::Event& event);
  // Returns when everything pushed before is in the file. What failed so far, after which nothing is written.
  absl::Status Flush();
  // Flushes and closes; later events are FAILED_PRECONDITION.
  absl::Status Close();
  const std::string& path() const { return path_; }

 private:
  struct Pending {
    double wall_time;
    int64_t step;
    float scalar;
    std::string tag;    // of a scalar
    std::string event;  // serialized; empty for a scalar
  };
  EventQueue(std::string path, std::unique_ptr<RecordWriter> writer, int64_t max_queue);
  absl::Status Add(Pending&& pending);
  void Work();
  absl::Status Write(const std::vector<Pending>& batch, bool flush);

  const std::string path_;
  const size_t max_queue_;
  std::unique_ptr<RecordWriter> writer_;  // the thread's
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<Pending> pending_;
  int64_t pushed_ = 0, written_ = 0;
  bool flush_ = false, stop_ = false, closed_ = false;
  absl::Status status_;
  std::mutex join_;  // two threads may close at once
  std::thread thread_;
};

}  // namespace tandem::summary
