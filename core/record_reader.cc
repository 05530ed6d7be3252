#include <cstring>

#include "absl/strings/str_format.h"
#include "core/crc32c.h"
#include "core/record_io.h"

namespace tandem {

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(const std::string& path, Compression compression, int64_t buffer_bytes) {
  ASSIGN_OR_RETURN(auto source, ByteSource::Open(path, compression, buffer_bytes));
  return std::unique_ptr<RecordReader>(new RecordReader(std::move(source)));
}

absl::Status RecordReader::DataLoss(int64_t offset, std::string_view what) const {
  return absl::DataLossError(absl::StrCat(source_->path(), ": record ", record_, " at offset ", offset,
                                          source_->compressed() ? " of the decompressed file: " : ": ", Absl(what)));
}

absl::StatusOr<bool> RecordReader::Next(std::string* record) {
  const int64_t offset = source_->position();
  const auto differ = [&](const char* whose, uint32_t stored, uint32_t masked) {
    return DataLoss(offset, absl::StrFormat("the checksum of its %s differs: stored %08x, computed %08x", whose, stored, masked));
  };
  char header[12];
  ASSIGN_OR_RETURN(const int64_t got, source_->Read(header, 12));
  if (got == 0) return false;
  if (got < 12) return DataLoss(offset, "the file ends inside its header");
  uint64_t length;
  uint32_t stored;
  std::memcpy(&length, header, 8);
  std::memcpy(&stored, header + 8, 4);
  if (const uint32_t crc = MaskCrc(Crc32c({header, 8})); crc != stored) return differ("length", stored, crc);
  record->clear();
  ASSIGN_OR_RETURN(const int64_t data, source_->Append(record, length));
  if (static_cast<uint64_t>(data) < length) return DataLoss(offset, absl::StrCat("the file ends after ", data, " of its ", length, " bytes"));
  char footer[4];
  ASSIGN_OR_RETURN(const int64_t rest, source_->Read(footer, 4));
  if (rest < 4) return DataLoss(offset, "the file ends inside its last checksum");
  std::memcpy(&stored, footer, 4);
  if (const uint32_t crc = MaskCrc(Crc32c(*record)); crc != stored) return differ("bytes", stored, crc);
  ++record_;
  return true;
}

absl::Status RecordReader::SkipTo(int64_t record, int64_t offset) {
  record_ = record;
  return source_->Skip(offset - source_->position());
}

}  // namespace tandem
