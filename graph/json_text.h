// Text inside JSON: node names come from files and may hold anything, also bytes that are no UTF-8.
#pragma once
#include <string>
#include <string_view>

#include "nlohmann/json.hpp"

namespace tandem {

// Quoted and escaped; bytes that are no UTF-8 become U+FFFD.
inline std::string JsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tandem
