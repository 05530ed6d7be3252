// FileWriter: an event file that TensorBoard shows, written in the background.
//
//   summary::FileWriter writer("logs/run1");
//   auto scope = writer.AsDefault();
//   summary::Scalar("loss", loss);          // eager/summary/summary.h
//   writer.Flush();
//
// The file is LOGDIR/events.out.tfevents.SECONDS.HOST.PID.N: two writers in one folder do not meet. What was recorded is
// readable by others two seconds later, and when Flush returns; the end of the process, and the last copy of the writer,
// flush too. Copies share the file. Threads: any.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/export.h"
#include "core/tensor.h"
#include "eager/summary/recording.h"

TANDEM_EXPORT_BEGIN
namespace tandem::summary {

struct FileWriterOptions {
  int64_t max_queue = 8192;     // events that wait at most; then the caller waits for the disk
  std::string filename_suffix;
};

class FileWriter {
 public:
  // Makes the folder. Errors of the system name the file.
  explicit FileWriter(const std::string& logdir, FileWriterOptions options = {});

  // The default writer of this thread while the scope lives.
  [[nodiscard]] DefaultScope AsDefault() const { return DefaultScope(queue_); }
  // What summary ops gave (core/ops/summary.h). INVALID_ARGUMENT when it is no string scalar or holds no summary.
  void AddSummary(const Tensor& serialized, int64_t step) const;

  // An error of the disk comes from here, or from the first summary after it: nothing is written after one.
  void Flush() const;
  // Later summaries are FAILED_PRECONDITION.
  void Close() const;
  const std::string& path() const;

 private:
  std::shared_ptr<EventQueue> queue_;
};

}  // namespace tandem::summary
TANDEM_EXPORT_END
