// Checkpoints as ops, so that a graph can save and restore: TensorFlow's V2 bundles (docs/formats.md).
//
//   SaveV2("dir/model-7", {"w", "b"}, {}, {w, b});
//   Tensors values = RestoreV2("dir/model-7", {"w", "b"}, {}, {kFloat32, kFloat32});
//
// train::Checkpoint saves objects and train::Saver variables by name; both are what most programs want.
#pragma once
#include <string>
#include <vector>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// prefix: a string scalar, the files' common name. shape_and_slices: one text for each name, none: all whole. A text is ""
// or "d0 d1 s0:s1", the shape of the full tensor and which part this one is: "10 3 0,4:-" has rows 0..3 of a [10,3].
// Written whole or not at all. In a graph a Run names the node, SaveV2 in its name scope, among its targets.
// INVALID_ARGUMENT: lengths that differ, a malformed text, a name twice, resources. Errors of the file system.
void SaveV2(const Tensor& prefix, const std::vector<std::string>& tensor_names, const std::vector<std::string>& shape_and_slices, const Tensors& tensors,
              Origin origin = Here());

// The tensors, or their parts, whatever slices they were saved in. NOT_FOUND: no file, no such name. INVALID_ARGUMENT:
// another dtype or full shape is stored. DATA_LOSS, OUT_OF_RANGE: damaged files.
Tensors RestoreV2(const Tensor& prefix, const std::vector<std::string>& tensor_names, const std::vector<std::string>& shape_and_slices,
                  const std::vector<DType>& dtypes, Origin origin = Here());

struct MergeV2CheckpointsOptions {
  bool delete_old_dirs = true;      // the prefixes' folders, once empty
  bool allow_missing_files = false;  // pass over prefixes without files
};
// Joins the checkpoints under checkpoint_prefixes (a string vector) into one: their data files become its shards.
void MergeV2Checkpoints(const Tensor& checkpoint_prefixes, const Tensor& destination_prefix, MergeV2CheckpointsOptions options = {},
                        Origin origin = Here());

// "basename-00001-of-00003".
Tensor ShardedFilename(const Tensor& basename, const Tensor& shard, const Tensor& num_shards, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
