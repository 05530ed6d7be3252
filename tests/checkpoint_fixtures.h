// Checkpoints that TensorFlow wrote, with what they hold as JSON, and ones that are broken on purpose.
#pragma once
#include <string>

#include "nlohmann/json.hpp"

namespace tandem {

// folder has the files and values.json (`values`): "" when every entry reads as it says, else the first that does not.
std::string CheckCheckpointValues(const std::string& folder, const nlohmann::json& values);
// Reads every entry under the prefix. Throws the first error.
void ReadWholeCheckpoint(const std::string& prefix);

}  // namespace tandem
