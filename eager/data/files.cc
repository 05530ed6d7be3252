// Lines, records with checksums, records of one length.
#include "core/record_io.h"
#include "eager/data/file_iterator.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {

Compression ParseCompression(std::string_view stage, const std::string& text) {
  if (text.empty()) return Compression::kNone;
  if (text == "GZIP") return Compression::kGzip;
  if (text == "ZLIB") return Compression::kZlib;
  ThrowError(InvalidArgument(Absl(stage), ": compression is \"", text, "\", must be \"\", \"GZIP\" or \"ZLIB\""));
}

void StoreString(Tensors& out, std::string&& text) {
  out.resize(1);
  out[0] = NewTensor("Dataset", kString, {});
  *out[0].rep()->as<std::string>() = std::move(text);
}

namespace {

struct LineReader {
  std::unique_ptr<ByteSource> source;
  std::string line;
  absl::StatusOr<bool> Next(Tensors& out) {
    ASSIGN_OR_RETURN(const bool more, source->ReadLine(&line));
    if (more) StoreString(out, std::move(line));
    return more;
  }
};

struct ChecksummedReader {
  std::unique_ptr<RecordReader> reader;
  std::string record;
  absl::StatusOr<bool> Next(Tensors& out) {
    ASSIGN_OR_RETURN(const bool more, reader->Next(&record));
    if (more) StoreString(out, std::move(record));
    return more;
  }
};

// Reads one record ahead of what it gives by footer_bytes, which are no record.
struct FixedReader {
  std::unique_ptr<ByteSource> source;
  size_t record_bytes, footer_bytes;
  std::string held;  // the bytes behind the last record
  bool ended = false;
  absl::StatusOr<bool> Next(Tensors& out) {
    if (ended) return false;
    const int64_t at = source->position() - static_cast<int64_t>(held.size());
    ASSIGN_OR_RETURN([[maybe_unused]] const int64_t got, source->Append(&held, record_bytes + footer_bytes - held.size()));
    ended = held.size() < record_bytes + footer_bytes;
    if (held.size() <= footer_bytes) {
      if (held.size() < footer_bytes) return absl::InvalidArgumentError(absl::StrCat(source->path(), ": shorter than its header and footer"));
      return false;
    }
    if (ended)
      return absl::InvalidArgumentError(absl::StrCat(source->path(), ": the record at offset ", at, " has ", held.size() - footer_bytes, " bytes, record_bytes is ", record_bytes));
    StoreString(out, held.substr(0, record_bytes));
    held.erase(0, record_bytes);
    return true;
  }
};

// A stage whose elements are string scalars read by Reader.
template <class Reader>
class FileNode : public Node {
 public:
  using Open = typename FileIterator<Reader>::Open;
  FileNode(std::string_view name, std::vector<std::string> paths, Open open) : Node(name, {}), paths_(std::move(paths)), open_(std::move(open)) {}
  IteratorPtr MakeIterator(const PassContext&) const override { return std::make_unique<FileIterator<Reader>>(name(), paths_, open_); }
  std::optional<Components> components() const override { return Components{{kString, {}}}; }

 private:
  std::vector<std::string> paths_;
  Open open_;
};

}  // namespace

NodePtr TextLine(std::vector<std::string> paths, const FileOptions& options) {
  CheckAtLeast("TextLine", "buffer_bytes", options.buffer_bytes, 1);
  const Compression compression = ParseCompression("TextLine", options.compression);
  return std::make_shared<FileNode<LineReader>>(
      "TextLine", std::move(paths), [compression, buffer = options.buffer_bytes](const std::string& path) -> absl::StatusOr<std::unique_ptr<LineReader>> {
        ASSIGN_OR_RETURN(auto source, ByteSource::Open(path, compression, buffer));
        return std::make_unique<LineReader>(LineReader{std::move(source), {}});
      });
}

NodePtr TFRecord(std::vector<std::string> paths, const FileOptions& options) {
  CheckAtLeast("TFRecord", "buffer_bytes", options.buffer_bytes, 1);
  const Compression compression = ParseCompression("TFRecord", options.compression);
  return std::make_shared<FileNode<ChecksummedReader>>(
      "TFRecord", std::move(paths), [compression, buffer = options.buffer_bytes](const std::string& path) -> absl::StatusOr<std::unique_ptr<ChecksummedReader>> {
        ASSIGN_OR_RETURN(auto reader, RecordReader::Open(path, compression, buffer));
        return std::make_unique<ChecksummedReader>(ChecksummedReader{std::move(reader), {}});
      });
}

NodePtr FixedLengthRecord(std::vector<std::string> paths, int64_t record_bytes, const FixedLengthOptions& options) {
  CheckAtLeast("FixedLengthRecord", "record_bytes", record_bytes, 1);
  CheckAtLeast("FixedLengthRecord", "header_bytes", options.header_bytes, 0);
  CheckAtLeast("FixedLengthRecord", "footer_bytes", options.footer_bytes, 0);
  const Compression compression = ParseCompression("FixedLengthRecord", options.compression);
  return std::make_shared<FileNode<FixedReader>>(
      "FixedLengthRecord", std::move(paths),
      [compression, record_bytes, header = options.header_bytes, footer = options.footer_bytes](const std::string& path) -> absl::StatusOr<std::unique_ptr<FixedReader>> {
        ASSIGN_OR_RETURN(auto source, ByteSource::Open(path, compression));
        RETURN_IF_ERROR(source->Skip(header));
        if (source->position() < header) return absl::InvalidArgumentError(absl::StrCat(path, ": shorter than its header and footer"));
        return std::make_unique<FixedReader>(FixedReader{std::move(source), static_cast<size_t>(record_bytes), static_cast<size_t>(footer), {}, false});
      });
}

}  // namespace tandem::data::internal
