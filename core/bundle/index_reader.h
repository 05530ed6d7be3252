// The index of a bundle, read whole: a LevelDB table with every block's checksum checked.
#pragma once
#include <string>
#include <vector>

#include "core/bundle/bundle_reader.h"

namespace tandem {

struct Index {
  int num_shards = 1;
  bool big_endian = false;
  std::vector<BundleEntry> entries;  // by key
};

// NOT_FOUND, DATA_LOSS, UNIMPLEMENTED; errors name the file. An entry that makes no sense has its status set.
absl::StatusOr<Index> ReadIndexFile(const std::string& path);

}  // namespace tandem
