#include "core/bundle/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace tandem {
namespace {

constexpr size_t kBuffer = 256 << 10;
constexpr std::string_view kUnfinished = ".unfinished-";

// An open file descriptor of a folder; -1 when it cannot be had.
int OpenFolder(const std::string& path) { return ::open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

}  // namespace

absl::Status FileError(int error, std::string_view path, std::string_view what) {
  const std::string message = absl::StrCat(Absl(path), ": ", Absl(what), ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::UnknownError(message);
  }
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& path) {
  static std::atomic<int> count = 0;
  std::string temporary = absl::StrCat(path, Absl(kUnfinished), ::getpid(), "-", count.fetch_add(1));
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return FileError(errno, path, "cannot be made");
  ::flock(fd, LOCK_EX | LOCK_NB);  // says that someone lives who writes it
  auto file = std::unique_ptr<OutputFile>(new OutputFile(fd, std::move(temporary)));
  file->buffer_.reserve(kBuffer);
  return file;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

absl::Status OutputFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(errno, path_, absl::StrCat("cannot be written at byte ", written_));
    written_ += n;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Flush() {
  absl::Status status = Write(buffer_);
  buffer_.clear();
  return status;
}

absl::Status OutputFile::Append(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) RETURN_IF_ERROR(Flush());
  if (bytes.size() > kBuffer) return Write(bytes);
  buffer_.append(bytes);
  return absl::OkStatus();
}

absl::Status OutputFile::Sync() {
  RETURN_IF_ERROR(Flush());
  if (::fsync(fd_) != 0) return FileError(errno, path_, "cannot be synced");
  return absl::OkStatus();
}

absl::Status OutputFile::Rename(const std::string& path) {
  if (::rename(path_.c_str(), path.c_str()) != 0) return FileError(errno, path, "cannot be replaced");
  path_.clear();
  return absl::OkStatus();
}

std::string FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : std::string(path.substr(0, slash));
}

absl::Status MakeFolderOf(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(FolderOf(path), error);
  if (error) return FileError(error.value(), FolderOf(path), "the folder cannot be made");
  return absl::OkStatus();
}

absl::Status SyncFolder(const std::string& path) {
  const int fd = OpenFolder(path);
  if (fd < 0) return FileError(errno, FolderOf(path), "cannot be opened");
  const int failed = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  // Some file systems sync no folders; the names are then as safe as they can be.
  if (failed && error != EINVAL && error != ENOTSUP) return FileError(error, FolderOf(path), "cannot be synced");
  return absl::OkStatus();
}

void RemoveUnfinished(const std::string& path) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(FolderOf(path), ignored)) {
    const std::string name = entry.path().string();
    const size_t at = name.rfind(kUnfinished);
    if (at == name.npos) continue;
    // Neither its process nor, where processes of other machines write too, its lock is alive.
    const int pid = std::atoi(name.c_str() + at + kUnfinished.size());
    if (pid <= 0 || ::kill(pid, 0) == 0 || errno != ESRCH) continue;
    const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(name.c_str());
    ::close(fd);
  }
}

FolderLock::FolderLock(const std::string& path) : fd_(OpenFolder(path)) {
  if (fd_ < 0) return;
  while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  ASSIGN_OR_RETURN(auto file, OutputFile::Create(path));
  RETURN_IF_ERROR(file->Append(bytes));
  RETURN_IF_ERROR(file->Sync());
  RETURN_IF_ERROR(file->Rename(path));
  return SyncFolder(path);
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileError(errno, path, "cannot be opened");
  std::string bytes;
  struct stat info;
  ssize_t n = ::fstat(fd, &info) == 0 ? 1 : -1;
  if (n > 0) bytes.resize(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (n > 0 && done < bytes.size()) {
    n = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) n = 1;
    else if (n > 0) done += static_cast<size_t>(n);
  }
  const int error = errno;
  ::close(fd);
  if (n < 0) return FileError(error, path, "cannot be read");
  bytes.resize(done);
  return bytes;
}

}  // namespace tandem
