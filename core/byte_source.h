// The bytes of a file in order, decompressed on the way.
//
//   ASSIGN_OR_RETURN(auto source, ByteSource::Open("a.csv.gz", Compression::kGzip));
//   std::string line;
//   while (true) {
//     ASSIGN_OR_RETURN(bool more, source->ReadLine(&line));
//     if (!more) break;
//   }
//
// Errors name the file: those of the system (NOT_FOUND, PERMISSION_DENIED, …), DATA_LOSS for compressed bytes that are
// broken or cut off. One thread at a time.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace tandem {

// kDetect reads gzip where the file starts like one (1f 8b), else plain bytes. Joined gzip members are read as one file;
// of joined zlib streams only the first is.
enum class Compression { kNone, kGzip, kZlib, kDetect };

class ByteSource {
 public:
  static absl::StatusOr<std::unique_ptr<ByteSource>> Open(const std::string& path, Compression compression = Compression::kNone,
                                                          int64_t buffer_bytes = 128 << 10);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // How many bytes were read: fewer than n at the end alone.
  absl::StatusOr<int64_t> Read(char* to, int64_t n);
  // Appends up to n bytes to `to`, which grows with what is there: a wrong n takes no memory.
  absl::StatusOr<int64_t> Append(std::string* to, uint64_t n);
  // The next line without its "\n" or "\r\n"; false at the end. A last line needs no "\n".
  absl::StatusOr<bool> ReadLine(std::string* line);
  // Passes over n bytes: by seeking where nothing is compressed. Stops at the end.
  absl::Status Skip(int64_t n);
  // Of the next byte, counted in decompressed bytes.
  int64_t position() const { return position_; }
  bool compressed() const { return stream_ != nullptr; }
  const std::string& path() const { return path_; }

 private:
  struct Stream;  // the state of zlib
  ByteSource(std::string path, int fd, int64_t buffer_bytes);
  // More bytes into window_; it stays empty at the end.
  absl::Status Fill();
  absl::Status Inflate();
  absl::StatusOr<int64_t> ReadFile(char* to, int64_t n);
  absl::Status Broken(std::string_view what) const;
  void Take(int64_t n) {
    window_.remove_prefix(n);
    position_ += n;
  }

  std::string path_;
  int fd_;
  int64_t file_position_ = 0;  // bytes taken from the file
  int64_t position_ = 0;
  std::vector<char> buffer_;
  std::string_view window_;  // of buffer_: read, not yet taken
  std::unique_ptr<Stream> stream_;
};

}  // namespace tandem
