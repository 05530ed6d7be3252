// Reads event files, which TensorBoard shows: records that each hold an Event.
//
//   ASSIGN_OR_RETURN(auto reader, EventReader::Open(path));
//   proto::Event event;
//   while (true) {
//     ASSIGN_OR_RETURN(bool more, reader->Next(&event));
//     if (!more) break;
//   }
#pragma once
#include <memory>
#include <string>

#include "core/record_io.h"

namespace tandem::proto {
class Event;
}

namespace tandem {

class EventReader {
 public:
  static absl::StatusOr<std::unique_ptr<EventReader>> Open(const std::string& path);
  // False at the end. DATA_LOSS names file, record and offset: a record that is damaged (core/record_io.h), or is no Event.
  absl::StatusOr<bool> Next(proto::Event* event);
  int64_t record() const { return records_->record(); }

 private:
  EventReader(std::string path, std::unique_ptr<RecordReader> records) : path_(std::move(path)), records_(std::move(records)) {}
  std::string path_, record_;
  std::unique_ptr<RecordReader> records_;
};

// The event files below a folder, or the file itself: those with "tfevents" in their name, sorted. NOT_FOUND when there is
// no such folder or no event file in it.
absl::StatusOr<std::vector<std::string>> FindEventFiles(const std::string& path);

}  // namespace tandem
