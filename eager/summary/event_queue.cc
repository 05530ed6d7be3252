#include "eager/summary/event_queue.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "proto/event.pb.h"

namespace tandem::summary {
namespace {

constexpr std::chrono::seconds kFlushEvery(2);

double Now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// Every open queue, for the exit of the process.
struct OpenQueues {
  std::mutex mutex;
  std::vector<std::weak_ptr<EventQueue>> queues;
};
OpenQueues& open_queues() {
  static OpenQueues* open = [] {
    std::atexit([] {
      std::vector<std::weak_ptr<EventQueue>> queues;
      {
        std::lock_guard lock(open_queues().mutex);
        queues = open_queues().queues;
      }
      for (const auto& weak : queues)
        if (const auto queue = weak.lock()) queue->Flush().IgnoreError();
    });
    return new OpenQueues;
  }();
  return *open;
}

std::string FileName(const std::string& suffix) {
  static std::atomic<int> number = 0;
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  return absl::StrCat("events.out.tfevents.", static_cast<int64_t>(Now()), ".", host, ".", getpid(), ".", number.fetch_add(1), suffix);
}

}  // namespace

absl::StatusOr<std::shared_ptr<EventQueue>> EventQueue::Open(const std::string& logdir, int64_t max_queue, const std::string& suffix) {
  if (max_queue < 1) return InvalidArgument("FileWriter: max_queue is ", max_queue, ", must be at least 1");
  std::error_code error;
  std::filesystem::create_directories(logdir, error);
  const std::string path = logdir + (logdir.empty() || logdir.ends_with('/') ? "" : "/") + FileName(suffix);
  if (error) return absl::UnavailableError(absl::StrCat("FileWriter: ", logdir, " cannot be made: ", error.message()));
  ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> writer, RecordWriter::Open(path));
  std::shared_ptr<EventQueue> queue(new EventQueue(path, std::move(writer), max_queue));
  proto::Event first;
  first.set_file_version("brain.Event:2");
  first.mutable_source_metadata()->set_writer("tandem");
  RETURN_IF_ERROR(queue->Push(first));
  OpenQueues& open = open_queues();
  std::lock_guard lock(open.mutex);
  std::erase_if(open.queues, [](const auto& weak) { return weak.expired(); });
  open.queues.push_back(queue);
  return queue;
}

EventQueue::EventQueue(std::string path, std::unique_ptr<RecordWriter> writer, int64_t max_queue)
    : path_(std::move(path)), max_queue_(static_cast<size_t>(max_queue)), writer_(std::move(writer)), thread_([this] { Work(); }) {}

EventQueue::~EventQueue() { Close().IgnoreError(); }

absl::Status EventQueue::PushScalar(std::string_view tag, float value, int64_t step) { return Add({Now(), step, value, std::string(tag), ""}); }

absl::Status EventQueue::Push(proto::Event& event) {
  event.set_wall_time(Now());
  return Add({0, 0, 0, "", event.SerializeAsString()});
}

absl::Status EventQueue::Add(Pending&& pending) {
  std::unique_lock lock(mutex_);
  if (pending_.size() >= max_queue_) {
    wake_.notify_one();
    done_.wait(lock, [&] { return pending_.size() < max_queue_ || !status_.ok() || closed_; });
  }
  if (!status_.ok()) return status_;
  if (closed_) return absl::FailedPreconditionError(absl::StrCat("FileWriter: ", path_, " was closed"));
  pending_.push_back(std::move(pending));
  ++pushed_;
  if (pending_.size() == (max_queue_ + 1) / 2) wake_.notify_one();
  return absl::OkStatus();
}

absl::Status EventQueue::Flush() {
  std::unique_lock lock(mutex_);
  if (closed_) return status_;
  const int64_t until = pushed_;
  flush_ = true;
  wake_.notify_one();
  done_.wait(lock, [&] { return (written_ >= until && !flush_) || !status_.ok() || closed_; });
  return status_;
}

absl::Status EventQueue::Close() {
  {
    std::lock_guard lock(mutex_);
    stop_ = closed_ = true;
    wake_.notify_one();
  }
  {
    std::lock_guard join(join_);
    if (thread_.joinable()) thread_.join();
  }
  std::lock_guard lock(mutex_);
  done_.notify_all();
  return status_;
}

void EventQueue::Work() {
  std::vector<Pending> batch;
  std::unique_lock lock(mutex_);
  for (bool stop = false; !stop;) {
    wake_.wait_for(lock, kFlushEvery, [&] { return stop_ || flush_ || pending_.size() >= (max_queue_ + 1) / 2; });
    stop = stop_;
    batch.swap(pending_);
    const bool asked = std::exchange(flush_, false);
    const bool broken = !status_.ok();
    lock.unlock();
    absl::Status status;
    if (!broken && (asked || stop || !batch.empty())) status = Write(batch, true);
    if (stop && !broken) status.Update(writer_->Close());
    lock.lock();
    written_ += static_cast<int64_t>(batch.size());
    batch.clear();
    if (!status.ok()) status_ = status;
    done_.notify_all();
  }
}

absl::Status EventQueue::Write(const std::vector<Pending>& batch, bool flush) {
  proto::Event event;
  for (const Pending& p : batch) {
    if (!p.event.empty()) {
      RETURN_IF_ERROR(writer_->Write(p.event));
      continue;
    }
    event.set_wall_time(p.wall_time);
    event.set_step(p.step);
    auto* summary = event.mutable_summary();
    auto* value = summary->value_size() ? summary->mutable_value(0) : summary->add_value();
    value->set_tag(p.tag);
    value->set_simple_value(p.scalar);
    RETURN_IF_ERROR(writer_->Write(event.SerializeAsString()));
  }
  return flush ? writer_->Flush() : absl::OkStatus();
}

}  // namespace tandem::summary
