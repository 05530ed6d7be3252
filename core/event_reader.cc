#include "core/event_reader.h"

#include <algorithm>
#include <filesystem>

#include "proto/event.pb.h"

namespace tandem {

absl::StatusOr<std::unique_ptr<EventReader>> EventReader::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> records, RecordReader::Open(path));
  return std::unique_ptr<EventReader>(new EventReader(path, std::move(records)));
}

absl::StatusOr<bool> EventReader::Next(proto::Event* event) {
  const int64_t record = records_->record(), offset = records_->offset();
  ASSIGN_OR_RETURN(const bool more, records_->Next(&record_));
  if (more && !event->ParseFromString(record_))
    return absl::DataLossError(absl::StrCat(path_, ": record ", record, " at offset ", offset, " is no Event"));
  return more;
}

absl::StatusOr<std::vector<std::string>> FindEventFiles(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  if (fs::is_regular_file(path, error)) return std::vector<std::string>{path};
  if (!fs::is_directory(path, error)) return absl::NotFoundError(absl::StrCat(path, ": there is no such folder"));
  for (fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error) && it->path().filename().string().find("tfevents") != std::string::npos) files.push_back(it->path().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) return absl::NotFoundError(absl::StrCat(path, ": holds no event file"));
  return files;
}

}  // namespace tandem
