#include "core/origin.h"

#include <string_view>

namespace tandem {

std::string Origin::ToString() const {
  if (!location_) return "";
  std::string_view path = file();
  if (const size_t slash = path.rfind('/'); slash != path.npos) path.remove_prefix(slash + 1);
  return std::string(path) + ":" + std::to_string(line());
}

}  // namespace tandem
