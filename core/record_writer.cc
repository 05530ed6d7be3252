#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/crc32c.h"
#include "core/record_io.h"

namespace tandem {
namespace {

constexpr size_t kBuffer = 64 << 10;

}  // namespace

struct RecordWriter::Stream {
  z_stream z = {};
  std::vector<char> output = std::vector<char>(kBuffer);
  ~Stream() { deflateEnd(&z); }
};

RecordWriter::RecordWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

RecordWriter::~RecordWriter() { (void)Close(); }

absl::StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Open(const std::string& path, RecordWriterOptions options) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (options.append ? O_APPEND : O_TRUNC), 0666);
  if (fd < 0) return absl::ErrnoToStatus(errno, path);
  std::unique_ptr<RecordWriter> writer(new RecordWriter(path, fd));
  if (options.compression == Compression::kGzip || options.compression == Compression::kZlib) {
    writer->stream_ = std::make_unique<Stream>();
    const int bits = options.compression == Compression::kGzip ? 16 + MAX_WBITS : MAX_WBITS;
    if (deflateInit2(&writer->stream_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      return absl::ResourceExhaustedError(absl::StrCat(path, ": no memory to compress"));
  }
  return writer;
}

absl::Status RecordWriter::Write(std::string_view record) {
  char header[12], footer[4];
  const uint64_t length = record.size();
  std::memcpy(header, &length, 8);
  const uint32_t length_crc = MaskCrc(Crc32c({header, 8})), crc = MaskCrc(Crc32c(record));
  std::memcpy(header + 8, &length_crc, 4);
  std::memcpy(footer, &crc, 4);
  RETURN_IF_ERROR(Put({header, 12}));
  RETURN_IF_ERROR(Put(record));
  return Put({footer, 4});
}

absl::Status RecordWriter::Put(std::string_view bytes) {
  if (fd_ < 0) return absl::FailedPreconditionError(absl::StrCat(path_, ": the file is closed"));
  if (buffer_.size() + bytes.size() > kBuffer && !buffer_.empty()) {
    RETURN_IF_ERROR(Deflate(buffer_, Z_NO_FLUSH));
    buffer_.clear();
  }
  if (bytes.size() >= kBuffer) return Deflate(bytes, Z_NO_FLUSH);
  buffer_.append(bytes);
  return absl::OkStatus();
}

absl::Status RecordWriter::Deflate(std::string_view bytes, int flush) {
  if (!stream_) return WriteFile(bytes);
  z_stream& z = stream_->z;
  do {
    const size_t part = std::min<size_t>(bytes.size(), 1 << 30);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(part);
    bytes.remove_prefix(part);
    do {
      z.next_out = reinterpret_cast<Bytef*>(stream_->output.data());
      z.avail_out = static_cast<uInt>(stream_->output.size());
      deflate(&z, bytes.empty() ? flush : Z_NO_FLUSH);
      RETURN_IF_ERROR(WriteFile({stream_->output.data(), stream_->output.size() - z.avail_out}));
    } while (z.avail_out == 0);
  } while (!bytes.empty());
  return absl::OkStatus();
}

absl::Status RecordWriter::WriteFile(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(fd_, bytes.data(), bytes.size());
    if (done >= 0) bytes.remove_prefix(static_cast<size_t>(done));
    else if (errno != EINTR) return absl::ErrnoToStatus(errno, path_);
  }
  return absl::OkStatus();
}

absl::Status RecordWriter::Flush() {
  if (fd_ < 0) return absl::FailedPreconditionError(absl::StrCat(path_, ": the file is closed"));
  const absl::Status status = Deflate(buffer_, Z_SYNC_FLUSH);
  buffer_.clear();
  return status;
}

absl::Status RecordWriter::Close() {
  if (fd_ < 0) return absl::OkStatus();
  absl::Status status = Deflate(buffer_, Z_FINISH);
  buffer_.clear();
  if (close(fd_) != 0 && status.ok()) status = absl::ErrnoToStatus(errno, path_);
  fd_ = -1;
  return status;
}

}  // namespace tandem
