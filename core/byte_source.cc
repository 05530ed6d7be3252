#include "core/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tandem {

struct ByteSource::Stream {
  z_stream z = {};
  std::vector<char> input;
  bool gzip = false;
  bool ended = false;  // a member is complete: what follows is another, or nothing
  bool begun = false;  // the file has bytes
  ~Stream() { inflateEnd(&z); }
};

ByteSource::ByteSource(std::string path, int fd, int64_t buffer_bytes)
    : path_(std::move(path)), fd_(fd), buffer_(std::max<int64_t>(buffer_bytes, 64)) {}

ByteSource::~ByteSource() { close(fd_); }

absl::StatusOr<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path, Compression compression, int64_t buffer_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, path);
  std::unique_ptr<ByteSource> source(new ByteSource(path, fd, buffer_bytes));
  if (compression == Compression::kDetect) {
    RETURN_IF_ERROR(source->Fill());
    compression = source->window_.starts_with("\x1f\x8b") ? Compression::kGzip : Compression::kNone;
  }
  if (compression == Compression::kNone) return source;
  auto stream = std::make_unique<Stream>();
  stream->gzip = compression == Compression::kGzip;
  stream->input.assign(source->window_.begin(), source->window_.end());
  stream->z.next_in = reinterpret_cast<Bytef*>(stream->input.data());
  stream->z.avail_in = static_cast<uInt>(stream->input.size());
  stream->z.avail_out = 1;  // nothing is left behind
  stream->begun = !stream->input.empty();
  source->window_ = {};
  if (inflateInit2(&stream->z, stream->gzip ? 16 + MAX_WBITS : MAX_WBITS) != Z_OK) return absl::ResourceExhaustedError(absl::StrCat(path, ": no memory to decompress"));
  source->stream_ = std::move(stream);
  return source;
}

absl::Status ByteSource::Broken(std::string_view what) const {
  return absl::DataLossError(absl::StrCat(path_, ": ", Absl(what), " near offset ", file_position_ - static_cast<int64_t>(stream_->z.avail_in), " of the compressed file"));
}

absl::StatusOr<int64_t> ByteSource::ReadFile(char* to, int64_t n) {
  while (true) {
    const ssize_t got = read(fd_, to, static_cast<size_t>(n));
    if (got >= 0) {
      file_position_ += got;
      return got;
    }
    if (errno != EINTR) return absl::ErrnoToStatus(errno, path_);
  }
}

absl::Status ByteSource::Fill() {
  if (stream_) return Inflate();
  ASSIGN_OR_RETURN(const int64_t got, ReadFile(buffer_.data(), static_cast<int64_t>(buffer_.size())));
  window_ = {buffer_.data(), static_cast<size_t>(got)};
  return absl::OkStatus();
}

absl::Status ByteSource::Inflate() {
  Stream& s = *stream_;
  window_ = {};
  while (true) {
    if (s.z.avail_in == 0 && s.z.avail_out != 0) {  // a full output may leave more behind, without input
      if (s.ended && !s.gzip) return absl::OkStatus();
      s.input.resize(buffer_.size());
      ASSIGN_OR_RETURN(const int64_t got, ReadFile(s.input.data(), static_cast<int64_t>(s.input.size())));
      s.z.next_in = reinterpret_cast<Bytef*>(s.input.data());
      s.z.avail_in = static_cast<uInt>(got);
      if (got == 0) {
        // A file without a byte holds nothing, as an empty plain one does.
        if (s.ended || !s.begun) return absl::OkStatus();
        return Broken("the compressed bytes end too early");
      }
      s.begun = true;
    }
    if (s.ended) {
      if (!s.gzip) return absl::OkStatus();
      inflateReset(&s.z);
      s.ended = false;
    }
    s.z.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    s.z.avail_out = static_cast<uInt>(buffer_.size());
    const int code = inflate(&s.z, Z_NO_FLUSH);
    window_ = {buffer_.data(), buffer_.size() - s.z.avail_out};
    if (code == Z_STREAM_END) s.ended = true;
    else if (code != Z_OK && code != Z_BUF_ERROR) {
      if (!window_.empty()) return absl::OkStatus();  // what came before the damage; inflate says the same again
      return Broken(s.z.msg ? s.z.msg : "broken compressed bytes");
    }
    if (!window_.empty()) return absl::OkStatus();
  }
}

absl::StatusOr<int64_t> ByteSource::Read(char* to, int64_t n) {
  int64_t done = 0;
  while (done < n) {
    if (window_.empty()) {
      if (!stream_ && n - done >= static_cast<int64_t>(buffer_.size())) {  // straight to where it goes
        ASSIGN_OR_RETURN(const int64_t got, ReadFile(to + done, n - done));
        position_ += got;
        done += got;
        if (got == 0) break;
        continue;
      }
      RETURN_IF_ERROR(Fill());
      if (window_.empty()) break;
    }
    const int64_t part = std::min<int64_t>(n - done, window_.size());
    std::memcpy(to + done, window_.data(), part);
    Take(part);
    done += part;
  }
  return done;
}

absl::StatusOr<int64_t> ByteSource::Append(std::string* to, uint64_t n) {
  constexpr uint64_t kStep = 1 << 20;
  uint64_t done = 0;
  while (done < n) {
    const uint64_t part = std::min(n - done, std::max(kStep, done));
    const size_t old = to->size();
    to->resize(old + part);
    auto got = Read(to->data() + old, static_cast<int64_t>(part));
    to->resize(old + (got.ok() ? *got : 0));
    RETURN_IF_ERROR(got.status());
    done += *got;
    if (static_cast<uint64_t>(*got) < part) break;
  }
  return static_cast<int64_t>(done);
}

absl::StatusOr<bool> ByteSource::ReadLine(std::string* line) {
  line->clear();
  while (true) {
    if (window_.empty()) {
      RETURN_IF_ERROR(Fill());
      if (window_.empty()) {
        if (line->empty()) return false;
        break;
      }
    }
    const size_t end = window_.find('\n');
    line->append(window_.substr(0, end));
    if (end == std::string_view::npos) {
      Take(static_cast<int64_t>(window_.size()));
      continue;
    }
    Take(static_cast<int64_t>(end) + 1);
    break;
  }
  if (line->ends_with('\r')) line->pop_back();
  return true;
}

absl::Status ByteSource::Skip(int64_t n) {
  while (n > 0) {
    if (window_.empty()) {
      struct stat file;
      if (!stream_ && fstat(fd_, &file) == 0 && S_ISREG(file.st_mode)) {
        const int64_t step = std::min(n, std::max<int64_t>(file.st_size - file_position_, 0));
        if (lseek(fd_, step, SEEK_CUR) < 0) return absl::ErrnoToStatus(errno, path_);
        file_position_ += step;
        position_ += step;
        return absl::OkStatus();
      }
      RETURN_IF_ERROR(Fill());
      if (window_.empty()) return absl::OkStatus();
    }
    const int64_t part = std::min<int64_t>(n, window_.size());
    Take(part);
    n -= part;
  }
  return absl::OkStatus();
}

}  // namespace tandem
