// Threads of pipelines: order, overlap, and that nothing is left behind.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "core/record_io.h"
#include "tests/eager/data/elements.h"
#include "tests/temp_file.h"

namespace tandem {
namespace {

using data::Range;

int64_t Entries(const char* folder) {
  int64_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++n;
  return n;
}
int64_t Threads() { return Entries("/proc/self/task"); }
int64_t Files() { return Entries("/proc/self/fd"); }

// Waits until `count` threads are here at once; gives up after a minute.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}
  bool Wait() {
    std::unique_lock lock(mutex_);
    if (++here_ >= count_) all_.notify_all();
    return all_.wait_for(lock, std::chrono::minutes(1), [&] { return here_ >= count_; });
  }

 private:
  const int count_;
  int here_ = 0;
  std::mutex mutex_;
  std::condition_variable all_;
};

std::string RecordFile() {
  const std::string path = TempPath("threads.tfrecord");
  auto writer = RecordWriter::Open(path);
  for (int i = 0; i < 100; ++i) REQUIRE((*writer)->Write(std::to_string(i)).ok());
  REQUIRE((*writer)->Close().ok());
  return path;
}

}  // namespace

TEST_CASE("parallel calls overlap and keep the order") {
  Meeting meeting(3);
  std::atomic<int> met = 0;
  const auto dataset = Range(3).Map([&](Tensor x) {
    met += meeting.Wait();
    return x;
  }, {.num_parallel_calls = 3});
  CHECK(Elements(dataset) == "0 1 2");
  CHECK(met == 3);
  // The first element is done last: it comes first all the same.
  Meeting others(3);
  CHECK(Elements(Range(6).Map([&](Tensor x) {
    if (x.item<int>() < 3) others.Wait();
    return x;
  }, {.num_parallel_calls = 3})) == "0 1 2 3 4 5");
}

TEST_CASE("without a promised order whatever is done comes first") {
  Meeting later(2);
  auto it = Range(2).Map([&](Tensor x) {
    if (x.item<int>() == 0) later.Wait();
    return x;
  }, {.num_parallel_calls = 2, .deterministic = false}).MakeIterator();
  CHECK(it.Next()->item<int>() == 1);  // 0 waits until this was seen
  later.Wait();
  CHECK(it.Next()->item<int>() == 0);
  std::set<int> seen;
  for (const Tensor& x : Range(200).Map([](Tensor x) { return x; }, {.num_parallel_calls = 4, .deterministic = false})) seen.insert(x.item<int>());
  CHECK(seen.size() == 200);
}

TEST_CASE("prefetch makes elements while the consumer is busy") {
  std::atomic<int> made = 0;
  Meeting ahead(2);
  auto it = Range(10).Map([&](Tensor x) {
    if (++made == 4) ahead.Wait();
    return x;
  }).Prefetch(3).MakeIterator();
  it.Next();
  CHECK(ahead.Wait());  // three more were made without being asked for
}

TEST_CASE("functions see a fresh eager context on every thread") {
  Graph graph;
  GraphScope scope(graph);
  GradientTape tape;
  for (const Tensor& x : Range(4).Map([](Tensor x) { return ExecutingEagerly() ? x + 1 : x; }, {.num_parallel_calls = 2}).Prefetch(1)) {
    CHECK_FALSE(x.symbolic());
    CHECK(x.item<int>() > 0);
  }
}

TEST_CASE("a dataset left half way leaves no threads, files or memory") {
  const std::string path = RecordFile();
  const auto dataset = data::TFRecord(path).Map([](Tensor x) { return x; }, {.num_parallel_calls = 2}).Shuffle(8).Batch(4).Prefetch(2);
  const auto cheap = data::TFRecord(path).Shuffle(8).Batch(4);
  const auto leave = [&](int times) {
    for (int i = 0; i < times; ++i)
      for ([[maybe_unused]] auto& batch : i % 5 == 0 ? dataset : cheap) break;
  };
  leave(100);
  const int64_t threads = Threads(), files = Files(), bytes = GetAllocatorStatistics().live_bytes;
  leave(10'000);
  CHECK(Threads() == threads);
  CHECK(Files() == files);
  CHECK(GetAllocatorStatistics().live_bytes == bytes);
}

TEST_CASE("leaving waits for the calls under way, no longer") {
  std::atomic<int> begun = 0, ended = 0;
  {
    auto it = Range(1'000'000).Map([&](Tensor x) {
      ++begun;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++ended;
      return x;
    }, {.num_parallel_calls = 2}).Prefetch(1).MakeIterator();
    it.Next();
  }
  CHECK(begun == ended);
  CHECK(begun < 100);
}

TEST_CASE("many threads may walk over one dataset") {
  const auto dataset = Range(100).Map([](Tensor x) { return x * 2; }).Cache().Batch(10).Prefetch(1);
  std::vector<std::thread> threads;
  std::atomic<int64_t> total = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (const Tensor& x : dataset) total += Sum(x).item<int64_t>();
    });
  for (std::thread& t : threads) t.join();
  CHECK(total == 4 * 9900);
}

}  // namespace tandem
