#include "core/bundle/bundle_reader.h"

#include <algorithm>
#include <numeric>

#include "core/bundle/bundle_writer.h"
#include "core/bundle/data_file.h"
#include "core/bundle/index_reader.h"
#include "core/bundle/string_tensor.h"
#include "core/kernel.h"

namespace tandem {
namespace {

TensorSlice WholeOf(const Shape& shape) {
  return {std::vector<int64_t>(shape.rank(), 0), std::vector<int64_t>(shape.begin(), shape.end())};
}

absl::StatusOr<Tensor> NewTensor(DType dtype, const Shape& shape) {
  const auto count = shape.num_elements();
  TensorRep* rep = count ? NewRep(dtype, shape.dims(), *count) : nullptr;
  if (!rep) return OutOfMemoryError("reading", dtype, shape.dims());
  return Tensor::Adopt(rep);
}

int64_t Volume(const TensorSlice& slice) {
  return std::accumulate(slice.length.begin(), slice.length.end(), int64_t{1}, std::multiplies<>());  // inside a tensor: no overflow
}

}  // namespace

BundleReader::BundleReader() = default;
BundleReader::~BundleReader() = default;

absl::StatusOr<std::unique_ptr<BundleReader>> BundleReader::Open(const std::string& prefix) {
  std::unique_ptr<BundleReader> reader(new BundleReader);
  reader->prefix_ = prefix;
  ASSIGN_OR_RETURN(Index index, ReadIndexFile(IndexFileName(prefix)));
  reader->num_shards_ = index.num_shards;
  reader->big_endian_ = index.big_endian;
  reader->entries_ = std::move(index.entries);
  const auto behind = std::ranges::find_if(reader->entries_, [](const BundleEntry& e) { return e.key[0] != '\0'; });
  reader->first_ = static_cast<size_t>(behind - reader->entries_.begin());
  reader->data_ = std::make_unique<DataFiles>(prefix, index.num_shards);
  return reader;
}

const BundleEntry* BundleReader::Find(std::string_view key) const {
  const auto it = std::ranges::lower_bound(entries_, key, {}, [](const BundleEntry& e) { return std::string_view(e.key); });
  return it == entries_.end() || it->key != key ? nullptr : &*it;
}

void BundleReader::HoldFiles() const {
  for (const BundleEntry& entry : entries_)
    if (entry.status.ok() && entry.slices.empty()) data_->Open(entry.shard).IgnoreError();
}

absl::Status BundleReader::EntryError(const absl::Status& status, const BundleEntry& entry, std::string_view name) const {
  return absl::Status(status.code(), absl::StrCat(DataFileName(prefix_, entry.shard, num_shards_), ": entry \"", Absl(name), "\" at offset ",
                                                  entry.offset, " (", entry.size, " bytes): ", status.message()));
}

absl::StatusOr<const BundleEntry*> BundleReader::FindReadable(std::string_view key) const {
  const BundleEntry* entry = Find(key);
  if (!entry || key.empty() || key[0] == '\0') return absl::NotFoundError(absl::StrCat(IndexFileName(prefix_), ": there is no entry \"", Absl(key), "\""));
  RETURN_IF_ERROR(entry->status);
  if (big_endian_) return absl::UnimplementedError(absl::StrCat(IndexFileName(prefix_), ": entry \"", Absl(key), "\" is big-endian, which cannot be read here"));
  return entry;
}

absl::StatusOr<Tensor> BundleReader::ReadPlain(const BundleEntry& entry, std::string_view name) const {
  const auto read = [&]() -> absl::StatusOr<Tensor> {
    const auto size = static_cast<int64_t>(DTypeSize(entry.dtype));
    const auto count = entry.shape.num_elements();
    if (!count) return absl::DataLossError(absl::StrCat("its shape ", entry.shape.ToString(), " has more than 2^63 - 1 elements"));
    if (entry.dtype == kResource || entry.dtype == kVariant)
      return absl::UnimplementedError(absl::StrCat(std::string(DTypeName(entry.dtype)), " tensors cannot be read"));
    const auto bytes = size ? CheckedMultiply(*count, size) : CheckedMultiply(*count, 1);
    if (!bytes || (size ? entry.size != *bytes : entry.size - 4 < *count))
      return absl::DataLossError(absl::StrCat("its size is wrong: ", std::string(DTypeName(entry.dtype)), entry.shape.ToString(), " needs ",
                                              size ? absl::StrCat(bytes.value_or(-1)) : absl::StrCat(*count, " or more")));
    RETURN_IF_ERROR(data_->CheckInside(entry.shard, entry.offset, entry.size));
    ASSIGN_OR_RETURN(Tensor tensor, NewTensor(entry.dtype, entry.shape));
    TensorRep& rep = *tensor.rep();
    if (entry.dtype == kString) {
      ASSIGN_OR_RETURN(const std::string text, data_->ReadText(entry.shard, entry.offset, entry.size));
      RETURN_IF_ERROR(ReadStrings(text, entry.crc, {rep.as<std::string>(), static_cast<size_t>(rep.count)}));
      return tensor;
    }
    RETURN_IF_ERROR(data_->Read(entry.shard, entry.offset, entry.size, entry.crc, rep.as<char>()));
    if (entry.dtype == kBool)
      for (int64_t i = 0; i < rep.count; ++i)
        if (rep.as<uint8_t>()[i] > 1) return absl::DataLossError(absl::StrCat("its element ", i, " is no bool"));
    return tensor;
  };
  auto tensor = read();
  if (!tensor.ok()) return EntryError(tensor.status(), entry, name);
  return tensor;
}

absl::StatusOr<Tensor> BundleReader::ReadParts(const BundleEntry& entry, const TensorSlice& wanted) const {
  const auto damaged = [&](std::string_view why) {
    return absl::DataLossError(absl::StrCat(IndexFileName(prefix_), ": entry \"", entry.key, "\": ", Absl(why)));
  };
  // Which parts, and that they cover what is wanted once each, before anything is read.
  std::vector<TensorSlice> filled;
  int64_t covered = 0;
  for (const TensorSlice& slice : entry.slices) {
    auto part = slice.Within(entry.shape);
    if (!part.ok()) return damaged(std::string(part.status().message()));
    for (const TensorSlice& other : filled)
      if (Overlap(*part, other)) return damaged("two of its parts overlap");
    if (const auto overlap = Overlap(*part, wanted)) covered += Volume(*overlap);
    filled.push_back(*std::move(part));
  }
  if (covered != Volume(wanted)) return damaged(absl::StrCat("its parts cover ", covered, " of ", Volume(wanted), " elements"));
  ASSIGN_OR_RETURN(Tensor out, NewTensor(entry.dtype, Shape(std::span<const int64_t>(wanted.length))));
  for (size_t i = 0; i < filled.size(); ++i) {
    const auto overlap = Overlap(filled[i], wanted);
    if (!overlap) continue;
    const BundleEntry* part = Find(SliceKey(entry.key, entry.slices[i]));
    if (!part) return damaged(absl::StrCat("its part ", entry.slices[i].ToString(), " is missing"));
    RETURN_IF_ERROR(part->status);
    if (part->dtype != entry.dtype || part->shape != Shape(std::span<const int64_t>(filled[i].length)))
      return damaged(absl::StrCat("its part ", entry.slices[i].ToString(), " has another dtype or shape"));
    ASSIGN_OR_RETURN(const Tensor piece, ReadPlain(*part, absl::StrCat(entry.key, " ", entry.slices[i].ToString())));
    CopySlice(*overlap, filled[i], piece.rep()->data, wanted, out.rep()->data, DTypeSize(entry.dtype));
  }
  return out;
}

absl::StatusOr<Tensor> BundleReader::Read(std::string_view key) const {
  ASSIGN_OR_RETURN(const BundleEntry* entry, FindReadable(key));
  if (entry->slices.empty()) return ReadPlain(*entry, key);
  return ReadParts(*entry, WholeOf(entry->shape));
}

absl::StatusOr<Tensor> BundleReader::ReadSlice(std::string_view key, const ShapeAndSlice& spec) const {
  ASSIGN_OR_RETURN(const BundleEntry* entry, FindReadable(key));
  if (entry->shape != spec.full)
    return InvalidArgument(IndexFileName(prefix_), ": entry \"", std::string(key), "\" is ", entry->shape.ToString(), ", a slice of ", spec.full.ToString(), " is asked for");
  if (!entry->slices.empty()) return ReadParts(*entry, spec.filled);
  ASSIGN_OR_RETURN(const Tensor all, ReadPlain(*entry, key));
  if (spec.shape == spec.full) return all;
  ASSIGN_OR_RETURN(Tensor out, NewTensor(entry->dtype, spec.shape));
  if (out.size() > 0) CopySlice(spec.filled, WholeOf(spec.full), all.rep()->data, spec.filled, out.rep()->data, DTypeSize(entry->dtype));
  return out;
}

}  // namespace tandem
