#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "eager/data/map.h"
#include "eager/data/workers.h"

namespace tandem::data::internal {
namespace {

class ParallelMapIterator : public ElementIterator {
 public:
  ParallelMapIterator(IteratorPtr input, const Function& function, int calls, bool deterministic)
      : input_(std::move(input)), function_(function), calls_(calls), deterministic_(deterministic), slots_(2 * calls) {
    for (Slot& slot : slots_) free_.push_back(&slot);
  }
  ~ParallelMapIterator() override {
    Stop();
    workers_.Join();
  }

  bool Next(Tensors& out) override {
    if (ended_) return false;
    if (!workers_.started()) workers_.Start(calls_, [this] { Work(); }, [this] { Stop(); });
    std::unique_lock lock(mutex_);
    Slot* slot = nullptr;
    done_.wait(lock, [&] {
      // In order the oldest element is awaited, else any.
      for (auto it = taken_.begin(); it != taken_.end(); ++it) {
        if ((*it)->done) {
          slot = *it;
          taken_.erase(it);
          return true;
        }
        if (deterministic_) return false;
      }
      return input_ended_ && taken_.empty();
    });
    if (!slot) {
      ended_ = true;
      return false;
    }
    std::swap(out, slot->out);
    const std::exception_ptr error = std::exchange(slot->error, nullptr);
    slot->done = false;
    free_.push_back(slot);
    work_.notify_one();
    lock.unlock();
    if (error) std::rethrow_exception(error);
    return true;
  }

  int64_t Skip(int64_t n) override {
    if (workers_.started()) return ElementIterator::Skip(n);
    n = input_->Skip(n);
    next_ += n;
    return n;
  }

 private:
  struct Slot {
    Tensors in, out;
    std::exception_ptr error;
    bool done = false;
  };

  void Stop() {
    std::lock_guard lock(mutex_);
    stop_ = true;
    work_.notify_all();
  }

  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      // One at a time takes from the input, outside the lock.
      work_.wait(lock, [&] { return stop_ || input_ended_ || (!taking_ && !free_.empty()); });
      if (stop_ || input_ended_) return;
      Slot& slot = *free_.back();
      free_.pop_back();
      taking_ = true;
      const int64_t index = next_++;
      taken_.push_back(&slot);
      lock.unlock();
      bool more = true;
      try {
        more = input_->Next(slot.in);
      } catch (...) {
        slot.error = std::current_exception();
      }
      lock.lock();
      taking_ = false;
      if (!more) {
        input_ended_ = true;
        taken_.pop_back();  // nobody took another meanwhile
        work_.notify_all();
        done_.notify_all();
        return;
      }
      work_.notify_one();
      lock.unlock();
      if (!slot.error) {
        try {
          AtElement("Map", index, [&] { function_(slot.in, slot.out); });
        } catch (...) {
          slot.error = std::current_exception();
        }
      }
      lock.lock();
      slot.done = true;
      done_.notify_all();
    }
  }

  IteratorPtr input_;
  const Function& function_;
  const int calls_;
  const bool deterministic_;
  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::vector<Slot> slots_;
  std::vector<Slot*> free_;
  std::deque<Slot*> taken_;  // in the input's order
  int64_t next_ = 0;
  bool taking_ = false, input_ended_ = false, stop_ = false;
  bool ended_ = false;  // the consumer's
  Workers workers_;
};

}  // namespace

IteratorPtr ParallelMap(IteratorPtr input, const Function& function, int calls, bool deterministic) {
  return std::make_unique<ParallelMapIterator>(std::move(input), function, calls, deterministic);
}

}  // namespace tandem::data::internal
