// A file that appears whole or not at all: written under a temporary name beside its place, synced, then renamed.
//
//   ASSIGN_OR_RETURN(auto file, OutputFile::Create("dir/a.index"));   // writes dir/a.index.unfinished-PID-N
//   RETURN_IF_ERROR(file->Append(bytes));
//   RETURN_IF_ERROR(file->Sync());
//   RETURN_IF_ERROR(file->Rename("dir/a.index"));                     // atomic; without it the destructor removes the file
//   RETURN_IF_ERROR(SyncFolder("dir/a.index"));                       // the name survives a power cut
//
// A process that dies leaves its temporary file behind, unlocked: RemoveUnfinished sweeps such files.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/status.h"

namespace tandem {

class OutputFile {
 public:
  // Beside `path`, whose folder must be there. Errors name the file and what the system says: NOT_FOUND,
  // PERMISSION_DENIED, RESOURCE_EXHAUSTED (a full disk, a file size limit), UNKNOWN.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Small pieces gather in a buffer; large ones are written from where they lie.
  absl::Status Append(std::string_view bytes);
  absl::Status Sync();  // all bytes are on the disk
  absl::Status Rename(const std::string& path);
  int64_t size() const { return written_ + static_cast<int64_t>(buffer_.size()); }

 private:
  OutputFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  absl::Status Flush();
  absl::Status Write(std::string_view bytes);
  int fd_;
  std::string path_;    // the temporary one; "" once renamed
  std::string buffer_;
  int64_t written_ = 0;
};

// What errno says of path: "PATH: WHAT: No space left on device".
absl::Status FileError(int error, std::string_view path, std::string_view what);
// The folder of a path, "." for a bare name.
std::string FolderOf(std::string_view path);
// Makes the folder of `path` and those above it.
absl::Status MakeFolderOf(const std::string& path);
absl::Status SyncFolder(const std::string& path);
// Removes temporary files in the folder of `path` that no living process writes.
void RemoveUnfinished(const std::string& path);

// Held while names in the folder of a path change, so that two processes that write the same files do not mix theirs.
// Where the file system knows no locks, it does nothing.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

// Replaces the file in one step. Errors as OutputFile's.
absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes);
// All of a file. NOT_FOUND when there is none.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

}  // namespace tandem
