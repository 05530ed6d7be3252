#include "core/bundle/merge.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include "core/bundle/bundle_reader.h"
#include "core/bundle/bundle_writer.h"
#include "core/bundle/index_writer.h"
#include "core/tensor_proto.h"

namespace tandem {
namespace {

proto::BundleEntryProto ToProto(const BundleEntry& entry, int shard) {
  proto::BundleEntryProto message;
  message.set_dtype(static_cast<proto::DataType>(entry.dtype));
  ShapeToProto(entry.shape, message.mutable_shape());
  message.set_shard_id(shard);
  message.set_offset(entry.offset);
  message.set_size(entry.size);
  message.set_crc32c(entry.crc);
  for (const TensorSlice& slice : entry.slices) {
    auto* to = message.add_slices();
    for (size_t i = 0; i < slice.start.size(); ++i) {
      auto* extent = to->add_extent();
      if (slice.length[i] == TensorSlice::kWhole) continue;
      extent->set_start(slice.start[i]);
      extent->set_length(slice.length[i]);
    }
  }
  return message;
}

// One entry of a part joins those of the others: parts of a partitioned tensor add up, all else must be new.
absl::Status Join(const BundleEntry& entry, int shard, const std::string& prefix, BundleEntries& all) {
  RETURN_IF_ERROR(entry.status);
  proto::BundleEntryProto message = ToProto(entry, shard);
  const auto [it, added] = all.try_emplace(entry.key, message);
  if (added) return absl::OkStatus();
  proto::BundleEntryProto& known = it->second;
  if (entry.slices.empty() || known.slices().empty())
    return InvalidArgument(prefix, ": entry \"", entry.key, "\" is in another part too");
  if (known.dtype() != message.dtype() || known.shape().SerializeAsString() != message.shape().SerializeAsString())
    return InvalidArgument(prefix, ": entry \"", entry.key, "\" has another dtype or shape than in another part");
  known.mutable_slices()->MergeFrom(message.slices());
  return absl::OkStatus();
}

struct Shard {
  std::string file;
  int number;
};

}  // namespace

absl::Status MergeBundles(std::span<const std::string> prefixes, const std::string& destination, const MergeOptions& options) {
  if (prefixes.empty()) return InvalidArgument("there is no checkpoint to join");
  BundleEntries entries;
  std::vector<Shard> shards;
  int num_shards = 0;
  std::vector<std::string> joined;
  for (const std::string& prefix : prefixes) {
    auto reader = BundleReader::Open(prefix);
    if (options.allow_missing_files && absl::IsNotFound(reader.status())) continue;
    RETURN_IF_ERROR(reader.status());
    joined.push_back(prefix);
    num_shards += (*reader)->num_shards();
    const size_t first = shards.size();
    for (const BundleEntry& entry : (*reader)->all_entries()) {
      int number = 0;
      if (entry.slices.empty()) {
        const std::string file = DataFileName(prefix, entry.shard, (*reader)->num_shards());
        auto it = std::find_if(shards.begin() + static_cast<std::ptrdiff_t>(first), shards.end(), [&](const Shard& s) { return s.file == file; });
        if (it == shards.end()) it = shards.insert(it, {file, static_cast<int>(shards.size())});
        number = it->number;
      }
      RETURN_IF_ERROR(Join(entry, number, prefix, entries));
    }
  }
  if (joined.empty()) return absl::NotFoundError(absl::StrCat(prefixes[0], ": there is no checkpoint, nor under the other prefixes"));

  RETURN_IF_ERROR(MakeFolderOf(destination));
  const FolderLock lock(destination);
  ASSIGN_OR_RETURN(auto index, OutputFile::Create(IndexFileName(destination)));
  RETURN_IF_ERROR(WriteIndex(entries, num_shards, *index));
  RETURN_IF_ERROR(index->Sync());
  for (const Shard& shard : shards) {
    const std::string to = DataFileName(destination, shard.number, num_shards);
    if (::rename(shard.file.c_str(), to.c_str()) != 0) return FileError(errno, shard.file, absl::StrCat("cannot be renamed to ", to));
  }
  RETURN_IF_ERROR(index->Rename(IndexFileName(destination)));
  RETURN_IF_ERROR(SyncFolder(destination));
  std::set<std::string> folders;
  for (const std::string& prefix : joined) {
    if (prefix != destination) ::unlink(IndexFileName(prefix).c_str());
    if (FolderOf(prefix) != FolderOf(destination)) folders.insert(FolderOf(prefix));
  }
  if (options.delete_old_folders)
    for (const std::string& folder : folders) ::rmdir(folder.c_str());  // stays when something else lies in it
  return absl::OkStatus();
}

}  // namespace tandem
