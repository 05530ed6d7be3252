// Files that a test writes, in a folder of its own.
#pragma once
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace tandem {

inline std::string TempPath(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return std::string(folder ? folder : "/tmp") + "/" + name;
}
// Writes the file and gives its path.
inline std::string WriteTemp(const std::string& name, std::string_view bytes) {
  const std::string path = TempPath(name);
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}
inline std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace tandem
