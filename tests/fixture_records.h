// Record files that TensorFlow wrote, against the index that says what is in them.
#pragma once
#include <string>

#include "nlohmann/json.hpp"

namespace tandem {

// "" when the file holds exactly the records (offset, length, checksum, contents) of `records`.
std::string CheckRecordFile(const std::string& path, const std::string& compression, const nlohmann::json& records);

}  // namespace tandem
