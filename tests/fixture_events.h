// Event files that TensorFlow wrote, with every event as JSON: events/NAME.json beside the file it names.
#pragma once
#include <string>

#include "nlohmann/json.hpp"

namespace tandem {

// "" when the file holds what the JSON says, else the first difference.
std::string CheckEvents(const std::string& folder, const nlohmann::json& spec);

}  // namespace tandem
