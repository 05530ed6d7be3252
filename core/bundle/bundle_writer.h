// Writes a checkpoint in TensorFlow's V2 format: PREFIX.index, a LevelDB table of entries, and one data file.
//
//   ASSIGN_OR_RETURN(auto writer, BundleWriter::Create("dir/model-7"));
//   RETURN_IF_ERROR(writer->Add("layer/kernel", kernel));            // straight from the tensor's memory to the file
//   RETURN_IF_ERROR(writer->Finish());                               // on the disk, then visible, in one step
//
// Until Finish returns OK nothing of the old checkpoint under the prefix has changed; a process may die at any
// instruction and either the old one or the new one can be read. Several processes may write under one prefix: one of
// theirs is left, whole. The same content gives the index TensorFlow writes, byte for byte; only where a checkpoint is
// replaced by one under the same prefix do the file names differ, for the two have to exist side by side for a moment.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/bundle/tensor_slice.h"
#include "core/status.h"
#include "core/tensor_rep.h"

namespace tandem {

class BundleWriter {
 public:
  // Makes the prefix's folder if need be. Errors of files as core/bundle/output_file.h has them.
  static absl::StatusOr<std::unique_ptr<BundleWriter>> Create(const std::string& prefix);
  ~BundleWriter();  // drops what was not finished

  // INVALID_ARGUMENT, naming the key: an empty key, one that is there already, a resource tensor, one without a value.
  // UNIMPLEMENTED: a variant tensor. Errors of the file name the key too.
  absl::Status Add(std::string_view key, const TensorRep& tensor);
  // A part of a tensor: parts of one key make up one entry. INVALID_ARGUMENT when the tensor is not the slice's shape, or
  // the parts disagree on dtype or full shape.
  absl::Status AddSlice(std::string_view key, const ShapeAndSlice& spec, const TensorRep& tensor);
  absl::Status Finish();

 private:
  struct Impl;
  explicit BundleWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// PREFIX.index, and PREFIX.data-00000-of-00001 and the like.
std::string IndexFileName(std::string_view prefix);
std::string DataFileName(std::string_view prefix, int shard, int num_shards);

}  // namespace tandem
