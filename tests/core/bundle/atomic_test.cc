// What can happen while a checkpoint is written: death, a full disk, a folder that may not be written, another writer.
#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "core/bundle/bundle_reader.h"
#include "core/bundle/bundle_writer.h"
#include "core/bundle/output_file.h"
#include "tests/temporary.h"

namespace tandem {
namespace {

// Three tensors that all hold `number`: a mixture of two checkpoints would show.
absl::Status SaveNumber(const std::string& prefix, int number) {
  ASSIGN_OR_RETURN(const auto writer, BundleWriter::Create(prefix));
  const Tensor small = number, large = std::vector<int>(20000, number);
  RETURN_IF_ERROR(writer->Add("a", *small.rep()));
  RETURN_IF_ERROR(writer->Add("b", *large.rep()));
  RETURN_IF_ERROR(writer->Add("c", *small.rep()));
  return writer->Finish();
}

absl::StatusOr<int> ReadNumber(const std::string& prefix) {
  ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(prefix));
  int number = -1;
  for (const char* key : {"a", "b", "c"}) {
    ASSIGN_OR_RETURN(const Tensor t, reader->Read(key));
    for (const int v : t.data<int>()) {
      if (number >= 0 && v != number) return absl::DataLossError("a mixture");
      number = v;
    }
  }
  return number;
}

size_t FilesIn(const std::string& folder) { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {})); }

}  // namespace

TEST_CASE("a process killed at any moment of a save leaves a whole checkpoint") {
  const TemporaryFolder folder;
  const std::string prefix = folder / "c";
  REQUIRE(SaveNumber(prefix, 0).ok());
  std::mt19937 random(5);
  int last = 0, moved = 0;
  for (int kill_count = 0; kill_count < 200; ++kill_count) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = last + 1;; ++i)
        if (!SaveNumber(prefix, i).ok()) ::_exit(1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const auto number = ReadNumber(prefix);
    INFO(number.status().message());
    REQUIRE(number.ok());
    REQUIRE(*number >= last);
    moved += *number > last;
    last = *number;
  }
  CHECK(moved > 0);
  // What the dead left behind is swept by the next save.
  REQUIRE(SaveNumber(prefix, last).ok());
  CHECK(FilesIn(folder.path()) == 2);
}

TEST_CASE("a full disk leaves the last checkpoint as it was") {
  const TemporaryFolder folder;
  REQUIRE(SaveNumber(folder / "c", 1).ok());
  rlimit before;
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t limit : {0, 10, 4096, 79999}) {  // bytes that fit
    const rlimit small = {limit, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const absl::Status status = SaveNumber(folder / "c", 2);
    ::setrlimit(RLIMIT_FSIZE, &before);
    INFO(limit << ": " << status);
    CHECK(status.code() == absl::StatusCode::kResourceExhausted);
    CHECK(std::string(status.message()).find(folder / "c.data-00000-of-00001") != std::string::npos);
    CHECK(*ReadNumber(folder / "c") == 1);
    CHECK(FilesIn(folder.path()) == 2);
  }
  std::signal(SIGXFSZ, old);
}

TEST_CASE("a folder that may not be written") {
  const TemporaryFolder folder(nullptr);  // whoever the test becomes must get there
  REQUIRE(SaveNumber(folder / "c", 1).ok());
  REQUIRE(::chmod(folder.path().c_str(), 0555) == 0);
  const bool root = ::geteuid() == 0;
  if (root) REQUIRE(::seteuid(65534) == 0);  // nothing is forbidden to root
  const absl::Status status = SaveNumber(folder / "c", 2), below = SaveNumber(folder / "d/c", 2);
  if (root) REQUIRE(::seteuid(0) == 0);
  ::chmod(folder.path().c_str(), 0755);
  CHECK(status.code() == absl::StatusCode::kPermissionDenied);
  CHECK(std::string(status.message()) == folder / "c.data-00000-of-00001: cannot be made: Permission denied");
  CHECK(below.code() == absl::StatusCode::kPermissionDenied);
  CHECK(*ReadNumber(folder / "c") == 1);
  CHECK(SaveNumber(folder / "c.index/c", 1).code() == absl::StatusCode::kNotFound);  // a file where a folder must be
}

TEST_CASE("writers of one prefix do not mix their files") {
  const TemporaryFolder folder;
  REQUIRE(SaveNumber(folder / "c", 0).ok());
  std::vector<pid_t> children;
  for (int writer = 1; writer <= 3; ++writer) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 40; ++i)
        if (!SaveNumber(folder / "c", writer).ok()) ::_exit(1);
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(ReadNumber(folder / "c").ok());
  CHECK(FilesIn(folder.path()) == 2);
}

}  // namespace tandem
