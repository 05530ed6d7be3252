// Joins checkpoints that were written in parts, one by each device or host, into one.
#pragma once
#include <span>
#include <string>

#include "core/status.h"

namespace tandem {

struct MergeOptions {
  bool delete_old_folders = true;   // of the parts, once they are empty
  bool allow_missing_files = false;  // pass over parts without files
};

// The data files of the parts are renamed to be the destination's shards, the parts' indexes go. INVALID_ARGUMENT: no
// prefix, one entry in two parts. NOT_FOUND: a part without files. Errors of BundleReader and of files. What was under
// the destination stays readable until the new index is in its place, unless the shards' names are the same.
absl::Status MergeBundles(std::span<const std::string> prefixes, const std::string& destination, const MergeOptions& options);

}  // namespace tandem
