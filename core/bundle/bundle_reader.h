// Reads a checkpoint in TensorFlow's V2 format.
//
//   ASSIGN_OR_RETURN(auto reader, BundleReader::Open("dir/model-7"));
//   for (const BundleEntry& e : reader->entries()) … e.key, e.dtype, e.shape …
//   ASSIGN_OR_RETURN(Tensor kernel, reader->Read("layer/kernel"));
//
// Everything the files claim is checked before it is believed: the index's blocks and every tensor's bytes by their
// checksums, sizes against shapes and against the files, before memory is taken. Errors name file, entry and offset.
//
// Threads: any number may read at once.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/bundle/tensor_slice.h"
#include "core/status.h"
#include "core/tensor.h"

namespace tandem {

class DataFiles;

struct BundleEntry {
  std::string key;
  absl::Status status;  // of what the index says of it; the rest counts only when OK
  DType dtype = DType::kInvalid;
  Shape shape;
  int shard = 0;
  int64_t offset = 0, size = 0;  // in the shard's data file
  uint32_t crc = 0;              // masked
  std::vector<TensorSlice> slices;  // not empty: the tensor lies in parts
};

class BundleReader {
 public:
  // NOT_FOUND: no index. DATA_LOSS: it is cut off or damaged. UNIMPLEMENTED: written by a later version of the format.
  static absl::StatusOr<std::unique_ptr<BundleReader>> Open(const std::string& prefix);
  ~BundleReader();

  const std::string& prefix() const { return prefix_; }
  int num_shards() const { return num_shards_; }
  // By key. Parts of partitioned tensors are not among entries(), whose tensors Read puts together.
  std::span<const BundleEntry> entries() const { return std::span(entries_).subspan(first_); }
  std::span<const BundleEntry> all_entries() const { return entries_; }
  const BundleEntry* Find(std::string_view key) const;  // null when there is none

  // NOT_FOUND: no such entry, no data file. OUT_OF_RANGE: the data file ends before. DATA_LOSS: damaged. UNIMPLEMENTED: a
  // dtype that is not here, big-endian data. RESOURCE_EXHAUSTED.
  absl::StatusOr<Tensor> Read(std::string_view key) const;
  // A part, however the tensor is stored. INVALID_ARGUMENT when its full shape is another.
  absl::StatusOr<Tensor> ReadSlice(std::string_view key, const ShapeAndSlice& spec) const;

  // Opens every data file, so that what was opened can be read even when the checkpoint is deleted meanwhile.
  void HoldFiles() const;

 private:
  BundleReader();
  absl::StatusOr<const BundleEntry*> FindReadable(std::string_view key) const;
  absl::StatusOr<Tensor> ReadPlain(const BundleEntry& entry, std::string_view name) const;
  absl::StatusOr<Tensor> ReadParts(const BundleEntry& entry, const TensorSlice& wanted) const;
  absl::Status EntryError(const absl::Status& status, const BundleEntry& entry, std::string_view name) const;

  std::string prefix_;
  int num_shards_ = 1;
  bool big_endian_ = false;
  std::vector<BundleEntry> entries_;
  size_t first_ = 0;  // in entries_: behind the parts
  std::unique_ptr<DataFiles> data_;
};

}  // namespace tandem
