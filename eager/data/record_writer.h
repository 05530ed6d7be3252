// Writes TFRecord files, which TensorFlow and data::TFRecord read.
//
//   data::TFRecordWriter writer("a.tfrecord.gz", {.compression = "GZIP"});
//   writer.Write(bytes);
//   writer.Close();                                 // throws where the last bytes could not be written
//
// Errors name the file: NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED for a full disk. One thread at a time.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/export.h"

namespace tandem {
class RecordWriter;  // core/record_io.h
}

TANDEM_EXPORT_BEGIN
namespace tandem::data {

struct TFRecordWriterOptions {
  std::string compression = "";  // "", "GZIP", "ZLIB"
  bool append = false;           // behind the records that the file holds; with GZIP too, not with ZLIB
};

class TFRecordWriter {
 public:
  // Makes the file or, unless it appends, empties it. INVALID_ARGUMENT for another compression.
  explicit TFRecordWriter(const std::string& path, TFRecordWriterOptions options = {});
  ~TFRecordWriter();  // closes, and cannot say whether that went well
  TFRecordWriter(TFRecordWriter&&) noexcept;
  TFRecordWriter& operator=(TFRecordWriter&&) noexcept;

  void Write(std::string_view record);
  // Other processes can read what was written so far.
  void Flush();
  // FAILED_PRECONDITION for a Write or Flush behind it.
  void Close();

 private:
  std::unique_ptr<RecordWriter> writer_;
};

}  // namespace tandem::data
TANDEM_EXPORT_END
