#include "core/ops/checkpoint.h"

#include "core/bundle/tensor_slice.h"
#include "core/gradient.h"

namespace tandem {
namespace {

// Texts of a string vector whose value is known.
std::optional<std::span<const std::string>> KnownTexts(const InferContext& c, int i) {
  const TensorRep* value = c.value(i);
  if (!value || value->dtype != kString || value->rank != 1) return std::nullopt;
  return std::span(value->as<std::string>(), static_cast<size_t>(value->count));
}

// prefix, tensor_names and shape_and_slices of n tensors.
absl::Status InferNames(InferContext& c, int n) {
  RETURN_IF_ERROR(c.InputOfRank(0, 0).status());
  for (int i = 1; i < 3; ++i) {
    ASSIGN_OR_RETURN(const Shape shape, c.InputOfRank(i, 1));
    if (!Compatible(shape[0], n)) return c.Error(c.Describe(i, 0), ", there are ", n, " tensors");
  }
  return absl::OkStatus();
}

absl::Status InferSave(InferContext& c) {
  const int n = c.num_inputs() - 3;
  RETURN_IF_ERROR(InferNames(c, n));
  const auto texts = KnownTexts(c, 2);
  for (int i = 0; texts && i < n; ++i) {
    auto spec = ParseShapeAndSlice((*texts)[i]);
    if (!spec.ok()) return c.Error(std::string(spec.status().message()));
    if (*spec && !(*spec)->shape.CompatibleWith(c.input(3 + i)))
      return c.Error(c.Describe(3 + i), ", its slice \"", (*texts)[i], "\" is ", (*spec)->shape.ToString());
  }
  return absl::OkStatus();
}

absl::Status InferRestore(InferContext& c) {
  RETURN_IF_ERROR(InferNames(c, c.num_outputs()));
  const auto texts = KnownTexts(c, 2);
  for (int i = 0; texts && i < c.num_outputs(); ++i) {
    auto spec = ParseShapeAndSlice((*texts)[i]);
    if (!spec.ok()) return c.Error(std::string(spec.status().message()));
    if (*spec) RETURN_IF_ERROR(c.Output(i, (*spec)->shape));
  }
  return absl::OkStatus();
}

absl::Status InferMerge(InferContext& c) {
  RETURN_IF_ERROR(c.InputOfRank(0, 1).status());
  return c.InputOfRank(1, 0).status();
}

absl::Status InferShardedFilename(InferContext& c) {
  for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(c.InputOfRank(i, 0).status());
  return c.Output({});
}

// "" for each name where the caller gave none.
Tensor Texts(const std::vector<std::string>& given, size_t n) {
  return given.empty() ? Tensor(std::vector<std::string>(n)) : Tensor(given);
}

}  // namespace

OpSchema SaveV2Schema() {
  return OpSchema("SaveV2", "Writes tensors into a checkpoint of TensorFlow's V2 format.")
      .Signature("prefix:string, tensor_names:string, shape_and_slices:string, tensors:list(dtypes)", "", "dtypes:list(type)>=1")
      .Traits(kStateful | kSideEffect | kMayFail)
      .Infer(InferSave).NotDifferentiable("it has no output");
}
OpSchema RestoreV2Schema() {
  return OpSchema("RestoreV2", "Reads tensors, or parts of them, from a checkpoint of TensorFlow's V2 format.")
      .Signature("prefix:string, tensor_names:string, shape_and_slices:string", "tensors:list(dtypes)", "dtypes:list(type)>=1")
      .Traits(kStateful | kKernelAllocates | kMayFail)
      .Infer(InferRestore).NotDifferentiable("its values come from a file");
}
OpSchema MergeV2CheckpointsSchema() {
  return OpSchema("MergeV2Checkpoints", "Joins checkpoints of TensorFlow's V2 format into one, whose shards their data files become.")
      .Signature("checkpoint_prefixes:string, destination_prefix:string", "", "delete_old_dirs:bool=true; allow_missing_files:bool=false")
      .Traits(kStateful | kSideEffect | kMayFail)
      .Infer(InferMerge).NotDifferentiable("it has no output");
}
OpSchema ShardedFilenameSchema() {
  return OpSchema("ShardedFilename", "The name of one shard of a checkpoint: BASENAME-00001-of-00003.")
      .Signature("basename:string, shard:int32, num_shards:int32", "filename:string")
      .Infer(InferShardedFilename).NotDifferentiable("its value is a string");
}

void SaveV2(const Tensor& prefix, const std::vector<std::string>& tensor_names, const std::vector<std::string>& shape_and_slices, const Tensors& tensors,
            Origin origin) {
  Tensors inputs = {prefix, tensor_names, Texts(shape_and_slices, tensor_names.size())};
  inputs.insert(inputs.end(), tensors.begin(), tensors.end());
  RunMany(Op<"SaveV2">(), inputs, {}, origin);
}
Tensors RestoreV2(const Tensor& prefix, const std::vector<std::string>& tensor_names, const std::vector<std::string>& shape_and_slices,
                  const std::vector<DType>& dtypes, Origin origin) {
  const Tensor inputs[] = {prefix, tensor_names, Texts(shape_and_slices, tensor_names.size())};
  return RunMany(Op<"RestoreV2">(), inputs, {std::span<const DType>(dtypes)}, origin);
}
void MergeV2Checkpoints(const Tensor& checkpoint_prefixes, const Tensor& destination_prefix, MergeV2CheckpointsOptions options, Origin origin) {
  const Tensor inputs[] = {checkpoint_prefixes, destination_prefix};
  RunMany(Op<"MergeV2Checkpoints">(), inputs, {options.delete_old_dirs, options.allow_missing_files}, origin);
}
Tensor ShardedFilename(const Tensor& basename, const Tensor& shard, const Tensor& num_shards, Origin origin) {
  return Run(Op<"ShardedFilename">(), {basename, shard, num_shards}, {}, origin);
}

}  // namespace tandem
