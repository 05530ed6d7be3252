#include "eager/data/record_writer.h"

#include "core/record_io.h"
#include "eager/data/file_iterator.h"

namespace tandem::data {
namespace {

std::unique_ptr<RecordWriter> Open(const std::string& path, const TFRecordWriterOptions& options) {
  const Compression compression = internal::ParseCompression("TFRecordWriter", options.compression);
  if (options.append && compression == Compression::kZlib)
    ThrowError(InvalidArgument("TFRecordWriter: of joined ZLIB streams readers see the first alone: append with GZIP or without compression"));
  return ValueOrThrow(RecordWriter::Open(path, {.compression = compression, .append = options.append}));
}

}  // namespace

TFRecordWriter::TFRecordWriter(const std::string& path, TFRecordWriterOptions options) : writer_(Open(path, options)) {}
TFRecordWriter::~TFRecordWriter() = default;
TFRecordWriter::TFRecordWriter(TFRecordWriter&&) noexcept = default;
TFRecordWriter& TFRecordWriter::operator=(TFRecordWriter&&) noexcept = default;

void TFRecordWriter::Write(std::string_view record) { ThrowIfError(writer_->Write(record)); }
void TFRecordWriter::Flush() { ThrowIfError(writer_->Flush()); }
void TFRecordWriter::Close() { ThrowIfError(writer_->Close()); }

}  // namespace tandem::data
