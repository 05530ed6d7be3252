#include "eager/summary/file_writer.h"

#include "core/device_memory.h"
#include "eager/summary/event_queue.h"
#include "proto/event.pb.h"

namespace tandem::summary {

FileWriter::FileWriter(const std::string& logdir, FileWriterOptions options)
    : queue_(ValueOrThrow(EventQueue::Open(logdir, options.max_queue, options.filename_suffix))) {}

void FileWriter::AddSummary(const Tensor& serialized, int64_t step) const {
  proto::Event event;
  event.set_step(step);
  if (!event.mutable_summary()->ParseFromString(serialized.item<std::string>()))
    ThrowError(InvalidArgument("AddSummary: the string holds no summary"));
  ThrowIfError(queue_->Push(event));
}

void FileWriter::Flush() const { ThrowIfError(queue_->Flush()); }
void FileWriter::Close() const { ThrowIfError(queue_->Close()); }
const std::string& FileWriter::path() const { return queue_->path(); }

}  // namespace tandem::summary
