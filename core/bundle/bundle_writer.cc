#include "core/bundle/bundle_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/bundle/index_writer.h"
#include "core/bundle/string_tensor.h"
#include "core/crc32c.h"
#include "core/tensor_proto.h"

namespace tandem {

struct BundleWriter::Impl {
  std::string prefix;
  std::unique_ptr<OutputFile> data;
  BundleEntries entries;

  // Appends the elements and gives their entry.
  absl::StatusOr<proto::BundleEntryProto> Write(const TensorRep& tensor);
};

BundleWriter::BundleWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BundleWriter::~BundleWriter() = default;

std::string IndexFileName(std::string_view prefix) { return absl::StrCat(Absl(prefix), ".index"); }
std::string DataFileName(std::string_view prefix, int shard, int num_shards) {
  char suffix[48];
  std::snprintf(suffix, sizeof suffix, ".data-%05d-of-%05d", shard, num_shards);
  return absl::StrCat(Absl(prefix), suffix);
}

absl::StatusOr<std::unique_ptr<BundleWriter>> BundleWriter::Create(const std::string& prefix) {
  if (prefix.empty()) return InvalidArgument("a checkpoint needs a prefix of its files' names");
  RETURN_IF_ERROR(MakeFolderOf(prefix));
  auto impl = std::make_unique<Impl>();
  impl->prefix = prefix;
  ASSIGN_OR_RETURN(impl->data, OutputFile::Create(DataFileName(prefix, 0, 1)));
  return std::unique_ptr<BundleWriter>(new BundleWriter(std::move(impl)));
}

absl::StatusOr<proto::BundleEntryProto> BundleWriter::Impl::Write(const TensorRep& tensor) {
  if (tensor.symbolic()) return InvalidArgument("the tensor has no value: it belongs to a graph");
  if (!tensor.on_host()) return InvalidArgument("the tensor lies in a device's memory");
  if (tensor.dtype == kResource) return InvalidArgument("a resource handle cannot be saved");
  if (tensor.dtype == kVariant) return absl::UnimplementedError("a variant tensor cannot be saved");
  proto::BundleEntryProto entry;
  entry.set_dtype(static_cast<proto::DataType>(tensor.dtype));
  ShapeToProto(tensor.shape(), entry.mutable_shape());
  entry.set_offset(data->size());
  if (tensor.dtype == kString) {
    ASSIGN_OR_RETURN(const uint32_t crc, WriteStrings({tensor.as<std::string>(), static_cast<size_t>(tensor.count)}, *data));
    entry.set_crc32c(MaskCrc(crc));
  } else {
    // A piece at a time, so that the checksum leaves in the cache what is then written.
    constexpr size_t kPiece = 1 << 20;
    const std::string_view bytes(tensor.as<char>(), static_cast<size_t>(tensor.bytes()));
    uint32_t crc = 0;
    for (size_t at = 0; at < bytes.size(); at += kPiece) {
      crc = Crc32c(bytes.substr(at, kPiece), crc);
      RETURN_IF_ERROR(data->Append(bytes.substr(at, kPiece)));
    }
    entry.set_crc32c(MaskCrc(crc));
  }
  entry.set_size(data->size() - entry.offset());
  return entry;
}

namespace {

absl::Status Named(const absl::Status& status, std::string_view key) {
  return absl::Status(status.code(), absl::StrCat("entry \"", Absl(key), "\": ", status.message()));
}

}  // namespace

absl::Status BundleWriter::Add(std::string_view key, const TensorRep& tensor) {
  if (key.empty()) return InvalidArgument("a checkpoint's entry needs a name");
  if (impl_->entries.contains(std::string(key))) return Named(InvalidArgument("there is one of that name already"), key);
  auto entry = impl_->Write(tensor);
  if (!entry.ok()) return Named(entry.status(), key);
  impl_->entries[std::string(key)] = *std::move(entry);
  return absl::OkStatus();
}

absl::Status BundleWriter::AddSlice(std::string_view key, const ShapeAndSlice& spec, const TensorRep& tensor) {
  if (tensor.shape() != spec.shape)
    return Named(InvalidArgument("the tensor is ", tensor.shape().ToString(), ", its slice ", spec.slice.ToString(), " of ", spec.full.ToString(),
                                 " is ", spec.shape.ToString()),
                 key);
  if (spec.slice.whole()) return Add(key, tensor);  // a slice that is all of the tensor is a plain entry
  const std::string part = SliceKey(key, spec.slice);
  if (impl_->entries.contains(part)) return Named(InvalidArgument("there is one of that name and slice already"), key);
  const auto it = impl_->entries.find(std::string(key));
  if (it != impl_->entries.end()) {
    const auto full = ShapeFromProto(it->second.shape());
    if (it->second.slices().empty() || static_cast<int>(it->second.dtype()) != static_cast<int>(tensor.dtype) || !full.ok() || *full != spec.full)
      return Named(InvalidArgument("the parts differ in dtype or full shape, or it is there as a whole"), key);
  }
  auto entry = impl_->Write(tensor);
  if (!entry.ok()) return Named(entry.status(), key);
  proto::BundleEntryProto& full = impl_->entries[std::string(key)];
  if (full.slices().empty()) {
    full.set_dtype(entry->dtype());
    ShapeToProto(spec.full, full.mutable_shape());
  }
  proto::TensorSliceProto* slice = full.add_slices();
  for (size_t i = 0; i < spec.slice.start.size(); ++i) {
    auto* extent = slice->add_extent();
    if (spec.slice.length[i] == TensorSlice::kWhole) continue;
    extent->set_start(spec.slice.start[i]);
    extent->set_length(spec.slice.length[i]);
  }
  impl_->entries[part] = *std::move(entry);
  return absl::OkStatus();
}

absl::Status BundleWriter::Finish() {
  const std::string& prefix = impl_->prefix;
  RETURN_IF_ERROR(impl_->data->Sync());
  const FolderLock lock(prefix);
  // Data of another name than what is there now, which stays whole until the new index is in its place.
  std::vector<std::string> others = DataFilesOf(prefix);
  const std::string usual = DataFileName(prefix, 0, 1), second = DataFileName(prefix, 1, 2);
  const bool taken = std::ranges::find(others, usual) != others.end();
  const std::string& data = taken ? second : usual;
  if (taken)
    for (auto& [key, entry] : impl_->entries)
      if (entry.slices().empty()) entry.set_shard_id(1);
  ASSIGN_OR_RETURN(auto index, OutputFile::Create(IndexFileName(prefix)));
  RETURN_IF_ERROR(WriteIndex(impl_->entries, taken ? 2 : 1, *index));
  RETURN_IF_ERROR(index->Sync());
  RETURN_IF_ERROR(impl_->data->Rename(data));
  // From the index's rename on the new checkpoint counts; the old data may go once that is on the disk.
  if (absl::Status renamed = index->Rename(IndexFileName(prefix)); !renamed.ok()) {
    ::unlink(data.c_str());
    return renamed;
  }
  RETURN_IF_ERROR(SyncFolder(prefix));
  others.insert(others.end(), {usual, second});
  for (const std::string& file : others)
    if (file != data) ::unlink(file.c_str());
  RemoveUnfinished(prefix);
  return absl::OkStatus();
}

}  // namespace tandem
