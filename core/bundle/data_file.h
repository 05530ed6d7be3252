// The data files of a bundle, opened when they are first read and kept open.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "core/status.h"

namespace tandem {

class DataFiles {
 public:
  DataFiles(std::string prefix, int num_shards) : prefix_(std::move(prefix)), num_shards_(num_shards) {}
  ~DataFiles();
  DataFiles(const DataFiles&) = delete;
  DataFiles& operator=(const DataFiles&) = delete;

  struct File {
    int fd = -1;
    int64_t size = 0;
  };
  // NOT_FOUND when there is none.
  absl::StatusOr<File> Open(int shard);
  // OUT_OF_RANGE when the bytes [offset, offset + size) are not all there.
  absl::Status CheckInside(int shard, int64_t offset, int64_t size);
  // Into `to`, checked against the masked checksum: DATA_LOSS when it is another.
  absl::Status Read(int shard, int64_t offset, int64_t size, uint32_t masked_crc, char* to);
  absl::StatusOr<std::string> ReadText(int shard, int64_t offset, int64_t size);

 private:
  std::mutex mutex_;
  const std::string prefix_;
  const int num_shards_;
  std::map<int, File> files_;
};

}  // namespace tandem
