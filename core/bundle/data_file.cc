#include "core/bundle/data_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/bundle/bundle_writer.h"
#include "core/bundle/output_file.h"
#include "core/crc32c.h"

namespace tandem {
namespace {

absl::Status ReadAt(int fd, int64_t offset, int64_t size, char* to) {
  while (size > 0) {
    const ssize_t n = ::pread(fd, to, static_cast<size_t>(size), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(errno, "reading", absl::StrCat("failed at byte ", offset));
    if (n == 0) return absl::OutOfRangeError(absl::StrCat("the file ends at byte ", offset));
    offset += n;
    size -= n;
    to += n;
  }
  return absl::OkStatus();
}

}  // namespace

DataFiles::~DataFiles() {
  for (const auto& [shard, file] : files_) ::close(file.fd);
}

absl::StatusOr<DataFiles::File> DataFiles::Open(int shard) {
  const std::lock_guard lock(mutex_);
  if (const auto it = files_.find(shard); it != files_.end()) return it->second;
  const std::string path = DataFileName(prefix_, shard, num_shards_);
  File file;
  file.fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.fd < 0) return FileError(errno, path, "cannot be opened");
  struct stat info;
  if (::fstat(file.fd, &info) != 0) {
    const int error = errno;
    ::close(file.fd);
    return FileError(error, path, "cannot be read");
  }
  file.size = info.st_size;
  files_[shard] = file;
  return file;
}

absl::Status DataFiles::CheckInside(int shard, int64_t offset, int64_t size) {
  if (size == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const File file, Open(shard));
  if (offset > file.size || size > file.size - offset)
    return absl::OutOfRangeError(absl::StrCat("the file has only ", file.size, " bytes"));
  return absl::OkStatus();
}

absl::Status DataFiles::Read(int shard, int64_t offset, int64_t size, uint32_t masked_crc, char* to) {
  constexpr int64_t kPiece = 1 << 20;  // what was read is in the cache when it is summed
  uint32_t crc = 0;
  if (size > 0) {
    ASSIGN_OR_RETURN(const File file, Open(shard));
    for (int64_t at = 0; at < size; at += kPiece) {
      const int64_t n = std::min(kPiece, size - at);
      RETURN_IF_ERROR(ReadAt(file.fd, offset + at, n, to + at));
      crc = Crc32c({to + at, static_cast<size_t>(n)}, crc);
    }
  }
  if (MaskCrc(crc) != masked_crc) return absl::DataLossError("its checksum is wrong");
  return absl::OkStatus();
}

absl::StatusOr<std::string> DataFiles::ReadText(int shard, int64_t offset, int64_t size) {
  ASSIGN_OR_RETURN(const File file, Open(shard));
  std::string text(static_cast<size_t>(size), '\0');
  RETURN_IF_ERROR(ReadAt(file.fd, offset, size, text.data()));
  return text;
}

}  // namespace tandem
