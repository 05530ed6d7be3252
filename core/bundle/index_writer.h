// The index of a bundle as bytes on their way to a file: a LevelDB table with TensorFlow's settings.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/bundle/output_file.h"
#include "proto/tensor_bundle.pb.h"

namespace tandem {

using BundleEntries = std::map<std::string, proto::BundleEntryProto>;

// Appends the table: the header, then the entries in order of their keys.
absl::Status WriteIndex(const BundleEntries& entries, int num_shards, OutputFile& file);

// The data files that the index under `prefix` names; none when it cannot be read.
std::vector<std::string> DataFilesOf(const std::string& prefix);

}  // namespace tandem
