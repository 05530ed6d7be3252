// A folder for a test's files, gone when the test ends.
//
//   TemporaryFolder folder;
//   SaveNpy(folder / "x.npy", x);
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tandem {

class TemporaryFolder {
 public:
  TemporaryFolder() : TemporaryFolder(std::getenv("TEST_TMPDIR")) {}
  // Inside `base`; null: /tmp, which every user can reach.
  explicit TemporaryFolder(const char* base) {
    std::string pattern = std::string(base ? base : "/tmp") + "/tandemXXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tandem
