// Files of records with checksums: TensorFlow's TFRecord, which event files are too.
//
//   ASSIGN_OR_RETURN(auto writer, RecordWriter::Open("a.tfrecord"));
//   RETURN_IF_ERROR(writer->Write("bytes"));
//   RETURN_IF_ERROR(writer->Close());
//
//   ASSIGN_OR_RETURN(auto reader, RecordReader::Open("a.tfrecord"));
//   std::string record;
//   while (true) {
//     ASSIGN_OR_RETURN(bool more, reader->Next(&record));
//     if (!more) break;
//   }
//
// A record: u64 length, u32 masked CRC-32C of those 8 bytes, the bytes, u32 masked CRC-32C of the bytes; little-endian.
// Compression is around the whole file. One thread at a time.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/byte_source.h"
#include "core/status.h"

namespace tandem {

class RecordReader {
 public:
  // Errors of ByteSource::Open.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Open(const std::string& path, Compression compression = Compression::kNone,
                                                            int64_t buffer_bytes = 128 << 10);
  // False at the end of the file. DATA_LOSS names file, record and offset: a wrong checksum, or a file that ends inside
  // a record. After an error there is no next record.
  absl::StatusOr<bool> Next(std::string* record);
  // The number of the record that Next gives, from 0, and where it starts in the decompressed file.
  int64_t record() const { return record_; }
  int64_t offset() const { return source_->position(); }
  // Goes on at a place that record() and offset() named, which lies ahead.
  absl::Status SkipTo(int64_t record, int64_t offset);

 private:
  explicit RecordReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  absl::Status DataLoss(int64_t offset, std::string_view what) const;

  std::unique_ptr<ByteSource> source_;
  int64_t record_ = 0;
};

struct RecordWriterOptions {
  Compression compression = Compression::kNone;  // kDetect: as kNone
  bool append = false;                           // behind what the file holds
};

// Errors are the system's, with the file's name: RESOURCE_EXHAUSTED for a full disk, PERMISSION_DENIED, …
class RecordWriter {
 public:
  // Makes the file or, unless it appends, empties it.
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Open(const std::string& path, RecordWriterOptions options = {});
  ~RecordWriter();  // closes; who needs to know whether that went well calls Close
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  absl::Status Write(std::string_view record);
  // Hands all that was written to the operating system: other processes can read it.
  absl::Status Flush();
  absl::Status Close();

 private:
  struct Stream;  // the state of zlib
  RecordWriter(std::string path, int fd);
  absl::Status Put(std::string_view bytes);
  absl::Status Deflate(std::string_view bytes, int flush);
  absl::Status WriteFile(std::string_view bytes);

  std::string path_;
  int fd_;
  std::string buffer_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace tandem
