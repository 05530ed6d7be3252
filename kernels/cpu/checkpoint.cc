#include <cstdio>

#include "core/bundle/bundle_reader.h"
#include "core/bundle/bundle_writer.h"
#include "core/bundle/merge.h"
#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

const std::string& Text(const TensorRep& strings, int64_t i = 0) { return strings.as<std::string>()[i]; }

// The op's name in front.
absl::Status Named(const KernelCall& call, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(call.schema.name(), ": ", status.message()));
}

absl::Status Save(const KernelCall& call, BundleWriter& writer, int64_t i) {
  const TensorRep& tensor = call.input(static_cast<int>(3 + i));
  ASSIGN_OR_RETURN(const auto spec, ParseShapeAndSlice(Text(call.input(2), i)));
  const std::string& name = Text(call.input(1), i);
  return spec ? writer.AddSlice(name, *spec, tensor) : writer.Add(name, tensor);
}

absl::Status SaveV2(KernelCall& call) {
  auto writer = BundleWriter::Create(Text(call.input(0)));
  if (!writer.ok()) return Named(call, writer.status());
  for (int64_t i = 0; i < call.input(1).count; ++i)
    if (absl::Status s = Save(call, **writer, i); !s.ok()) return Named(call, s);
  if (absl::Status s = (*writer)->Finish(); !s.ok()) return Named(call, s);
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Restore(const KernelCall& call, const BundleReader& reader, int64_t i, DType dtype) {
  const std::string& name = Text(call.input(1), i);
  ASSIGN_OR_RETURN(const auto spec, ParseShapeAndSlice(Text(call.input(2), i)));
  if (const BundleEntry* entry = reader.Find(name); entry && entry->status.ok() && entry->dtype != dtype)
    return InvalidArgument(IndexFileName(reader.prefix()), ": entry \"", name, "\" is ", std::string(DTypeName(entry->dtype)), ", ",
                           std::string(DTypeName(dtype)), " is asked for");
  return spec ? reader.ReadSlice(name, *spec) : reader.Read(name);
}

absl::Status RestoreV2(KernelCall& call) {
  const auto dtypes = call.attr<std::span<const DType>>("dtypes");
  if (call.input(1).count != static_cast<int64_t>(dtypes.size()) || call.input(2).count != call.input(1).count)
    return call.Error(call.input(1).count, " names and ", call.input(2).count, " slices for ", dtypes.size(), " tensors");
  const auto reader = BundleReader::Open(Text(call.input(0)));
  if (!reader.ok()) return Named(call, reader.status());
  for (size_t i = 0; i < dtypes.size(); ++i) {
    auto tensor = Restore(call, **reader, static_cast<int64_t>(i), dtypes[i]);
    if (!tensor.ok()) return Named(call, tensor.status());
    call.SetOutput(static_cast<int>(i), *std::move(tensor));
  }
  return absl::OkStatus();
}

absl::Status MergeV2Checkpoints(KernelCall& call) {
  const TensorRep& prefixes = call.input(0);
  const absl::Status merged = MergeBundles({prefixes.as<std::string>(), static_cast<size_t>(prefixes.count)}, Text(call.input(1)),
                                           {.delete_old_folders = call.attr<bool>("delete_old_dirs"), .allow_missing_files = call.attr<bool>("allow_missing_files")});
  return merged.ok() ? merged : Named(call, merged);
}

absl::Status ShardedFilename(KernelCall& call) {
  char suffix[48];
  std::snprintf(suffix, sizeof suffix, "-%05d-of-%05d", *call.input(1).as<int32_t>(), *call.input(2).as<int32_t>());
  *call.output().as<std::string>() = Text(call.input(0)) + suffix;
  return absl::OkStatus();
}

}  // namespace

void SaveV2Cpu(CpuKernel& k) { k.SetAll(SaveV2); }
void RestoreV2Cpu(CpuKernel& k) { k.SetAll(RestoreV2); }
void MergeV2CheckpointsCpu(CpuKernel& k) { k.SetAll(MergeV2Checkpoints); }
void ShardedFilenameCpu(CpuKernel& k) { k.SetAll(ShardedFilename); }

}  // namespace tandem
