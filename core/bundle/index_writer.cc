#include "core/bundle/index_writer.h"

#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

#include <algorithm>

#include "core/bundle/bundle_reader.h"
#include "core/bundle/bundle_writer.h"

namespace tandem {
namespace {

// What LevelDB writes to. The first error stays; LevelDB only knows that there was one.
class TableFile : public leveldb::WritableFile {
 public:
  explicit TableFile(OutputFile& file) : file_(file) {}
  leveldb::Status Append(const leveldb::Slice& data) override {
    status_ = file_.Append({data.data(), data.size()});
    return status_.ok() ? leveldb::Status::OK() : leveldb::Status::IOError("write");
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
  const absl::Status& status() const { return status_; }

 private:
  OutputFile& file_;
  absl::Status status_;
};

}  // namespace

absl::Status WriteIndex(const BundleEntries& entries, int num_shards, OutputFile& file) {
  leveldb::Options options;  // what TensorFlow's table builder does
  options.compression = leveldb::kNoCompression;
  options.block_size = 256 << 10;
  options.block_restart_interval = 16;
  TableFile table(file);
  leveldb::TableBuilder builder(options, &table);
  proto::BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.mutable_version()->set_producer(1);
  builder.Add("", header.SerializeAsString());
  for (const auto& [key, entry] : entries) builder.Add(key, entry.SerializeAsString());
  const leveldb::Status finished = builder.Finish();
  RETURN_IF_ERROR(table.status());
  if (!finished.ok()) return absl::InternalError(absl::StrCat("the index cannot be made: ", finished.ToString()));
  return absl::OkStatus();
}

std::vector<std::string> DataFilesOf(const std::string& prefix) {
  const auto reader = BundleReader::Open(prefix);
  std::vector<std::string> files;
  if (!reader.ok()) return files;
  for (const BundleEntry& entry : (*reader)->all_entries()) {
    const std::string file = DataFileName(prefix, entry.shard, (*reader)->num_shards());
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  return files;
}

}  // namespace tandem
