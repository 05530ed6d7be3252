// Checkpoints against the same bytes written and read plainly, with fsync, in one folder.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "tandem.h"
#include "tools/bench/bench.h"

namespace tandem::bench {
namespace {

// Files beside the program's temporary ones; gone with it.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / ("tandem_bench" + std::to_string(::getpid()))).string()) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void Check(bool fine) {
  if (!fine) throw std::runtime_error("the folder for temporary files cannot be written or read");
}

void WriteRaw(const std::string& path, const std::vector<Tensor>& tensors) {
  const std::string temporary = path + ".new";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  Check(fd >= 0);
  for (const Tensor& t : tensors) Check(::write(fd, t.rep()->data, static_cast<size_t>(t.rep()->bytes())) == t.rep()->bytes());
  Check(::fsync(fd) == 0);
  ::close(fd);
  Check(::rename(temporary.c_str(), path.c_str()) == 0);
}

void ReadRaw(const std::string& path, int64_t each) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  Check(fd >= 0);
  for (;;) {
    const std::unique_ptr<char[]> memory(new char[static_cast<size_t>(each)]);
    if (::read(fd, memory.get(), static_cast<size_t>(each)) <= 0) break;
  }
  ::close(fd);
}

// n variables of `elements` floats, no two alike.
struct Variables {
  Variables(int n, int64_t elements) {
    for (int i = 0; i < n; ++i) {
      list.emplace_back(Tensor::FromData<float>({elements}, std::vector<float>(static_cast<size_t>(elements), static_cast<float>(i) + .5f)));
      values.push_back(list.back().Read());
    }
  }
  std::vector<Variable> list;
  std::vector<Tensor> values;
};

constexpr int64_t kQuarter = 100'000'000 / 4 / 4;  // floats in one of four tensors that hold 100 MB

Measured Save() {
  const Folder folder;
  const Variables v(4, kQuarter);
  train::Checkpoint checkpoint({{"v", v.list}});
  return Compare([&] { checkpoint.Write(folder / "c"); }, [&] { WriteRaw(folder / "raw", v.values); }, 5, 0);
}

Measured Restore() {
  const Folder folder;
  const Variables v(4, kQuarter);
  train::Checkpoint checkpoint({{"v", v.list}});
  const std::string path = checkpoint.Write(folder / "c");
  WriteRaw(folder / "raw", v.values);
  return Compare([&] { checkpoint.Restore(path); }, [&] { ReadRaw(folder / "raw", kQuarter * 4); }, 9, 0);
}

Measured SaveSmall() {
  constexpr int kCount = 3000;
  const Folder folder;
  const Variables v(kCount, 64);
  train::Checkpoint checkpoint({{"v", v.list}});
  Measured m = Compare([&] { checkpoint.Write(folder / "c"); }, [&] { WriteRaw(folder / "raw", v.values); }, 15, 0);
  m.reference_ns = 3 * m.reference_ns + 5000. * kCount;
  return m;
}

}  // namespace

std::vector<Bench> CheckpointBenches() {
  return {
      {"save_100mb", "Checkpoint::Write of 4 float32[6250000] / write, fsync and rename of the same bytes", 1 / 0.7, Save},
      {"restore_100mb", "Checkpoint::Restore of them / read of the same bytes into new memory", 1 / 0.7, Restore},
      {"save_3000_small", "Checkpoint::Write of 3000 float32[64] / three raw writes of their bytes and 5 us each", 1, SaveSmall},
  };
}

}  // namespace tandem::bench
