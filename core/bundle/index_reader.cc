#include "core/bundle/index_reader.h"

#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "core/bundle/output_file.h"
#include "core/tensor_proto.h"
#include "proto/tensor_bundle.pb.h"

namespace tandem {
namespace {

constexpr int kFooter = 48;             // two block handles, padding, the magic number
constexpr int kBlockTrailer = 5;        // a type byte and a checksum
constexpr uint64_t kMagic = 0xdb4775248b80fb57;
constexpr int kVersion = 1;             // of the format; files that need more are refused

// The table's bytes, which lie in memory.
class TableBytes : public leveldb::RandomAccessFile {
 public:
  explicit TableBytes(const std::string& bytes) : bytes_(bytes) {}
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char*) const override {
    if (offset > bytes_.size()) return leveldb::Status::IOError("read past the end");
    *result = leveldb::Slice(bytes_.data() + offset, std::min<size_t>(n, bytes_.size() - offset));
    return leveldb::Status::OK();
  }

 private:
  const std::string& bytes_;
};

bool ReadVarint(std::string_view& bytes, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    bytes.remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

// LevelDB takes memory for what the footer says before it looks: the footer, which no checksum covers, must be sane.
absl::Status CheckFooter(std::string_view bytes) {
  if (bytes.size() < kFooter) return absl::DataLossError(absl::StrCat("has ", bytes.size(), " bytes, too few for an index"));
  std::string_view footer = bytes.substr(bytes.size() - kFooter);
  uint64_t magic;
  std::memcpy(&magic, footer.data() + kFooter - sizeof magic, sizeof magic);
  if (magic != kMagic) return absl::DataLossError("is no index: its last bytes are not a table's, or it is cut off");
  uint64_t unused, offset, size;
  if (!ReadVarint(footer, &unused) || !ReadVarint(footer, &unused) || !ReadVarint(footer, &offset) || !ReadVarint(footer, &size) ||
      offset > bytes.size() || size > bytes.size() || offset + size + kBlockTrailer > bytes.size())
    return absl::DataLossError(absl::StrCat("its footer, at byte ", bytes.size() - kFooter, ", points outside the file"));
  return absl::OkStatus();
}

absl::Status ParseEntry(std::string_view bytes, BundleEntry& entry) {
  proto::BundleEntryProto message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::DataLossError("is malformed");
  const auto dtype = DTypeFromProto(message.dtype());
  if (!dtype.ok())
    return absl::IsUnimplemented(dtype.status()) ? dtype.status() : absl::DataLossError(dtype.status().message());
  entry.dtype = *dtype;
  const auto shape = ShapeFromProto(message.shape());
  if (!shape.ok()) return absl::DataLossError(shape.status().message());
  if (!shape->fully_known()) return absl::DataLossError(absl::StrCat("has the shape ", shape->ToString()));
  if (!shape->num_elements()) return absl::DataLossError(absl::StrCat("has the shape ", shape->ToString(), ", more than 2^63 - 1 elements"));
  entry.shape = *shape;
  entry.shard = message.shard_id();
  entry.offset = message.offset();
  entry.size = message.size();
  entry.crc = message.crc32c();
  if (entry.shard < 0 || entry.offset < 0 || entry.size < 0)
    return absl::DataLossError(absl::StrCat("has shard ", entry.shard, ", offset ", entry.offset, ", size ", entry.size));
  for (const auto& slice : message.slices()) {
    TensorSlice& s = entry.slices.emplace_back();
    for (const auto& extent : slice.extent()) {
      const bool whole = extent.has_length_hack_case() == proto::TensorSliceProto::Extent::HAS_LENGTH_HACK_NOT_SET;
      s.start.push_back(whole ? 0 : extent.start());
      s.length.push_back(whole ? TensorSlice::kWhole : extent.length());
    }
  }
  return absl::OkStatus();
}

absl::Status ParseHeader(std::string_view bytes, Index& index) {
  proto::BundleHeaderProto header;
  if (!header.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::DataLossError("its header is malformed");
  if (header.version().min_consumer() > kVersion)
    return absl::UnimplementedError(absl::StrCat("needs version ", header.version().min_consumer(), " of the format, here is ", kVersion));
  if (header.num_shards() < 0) return absl::DataLossError(absl::StrCat("its header says ", header.num_shards(), " shards"));
  index.num_shards = header.num_shards();
  index.big_endian = header.endianness() == proto::BundleHeaderProto::BIG;
  return absl::OkStatus();
}

absl::StatusOr<Index> ParseIndex(const std::string& bytes, const std::string& path) {
  RETURN_IF_ERROR(CheckFooter(bytes));
  leveldb::Options options;
  options.paranoid_checks = true;
  TableBytes file(bytes);
  leveldb::Table* opened = nullptr;
  if (const leveldb::Status s = leveldb::Table::Open(options, &file, bytes.size(), &opened); !s.ok())
    return absl::DataLossError(s.ToString());
  const std::unique_ptr<leveldb::Table> table(opened);
  leveldb::ReadOptions reading;
  reading.verify_checksums = true;
  reading.fill_cache = false;
  const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(reading));
  Index index;
  bool header = false;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const std::string_view key(it->key().data(), it->key().size()), value(it->value().data(), it->value().size());
    if (key.empty()) {
      RETURN_IF_ERROR(ParseHeader(value, index));
      header = true;
      continue;
    }
    if (!header) return absl::DataLossError(absl::StrCat("has no header: its first entry is \"", Absl(key), "\""));
    BundleEntry& entry = index.entries.emplace_back();
    entry.key = key;
    if (index.entries.size() > 1 && index.entries[index.entries.size() - 2].key >= entry.key)
      return absl::DataLossError(absl::StrCat("entry \"", entry.key, "\" is out of order"));
    if (const absl::Status s = ParseEntry(value, entry); !s.ok())
      entry.status = absl::Status(s.code(), absl::StrCat(path, ": entry \"", entry.key, "\": ", s.message()));
  }
  if (!it->status().ok()) return absl::DataLossError(it->status().ToString());
  if (!header) return absl::DataLossError("has no header");
  return index;
}

}  // namespace

absl::StatusOr<Index> ReadIndexFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(path));
  try {
    auto index = ParseIndex(bytes, path);
    if (!index.ok()) return absl::Status(index.status().code(), absl::StrCat(path, ": ", index.status().message()));
    return index;
  } catch (const std::bad_alloc&) {  // a block's size that only a forged checksum can bring here
    return absl::DataLossError(absl::StrCat(path, ": a block is larger than memory"));
  }
}

}  // namespace tandem
