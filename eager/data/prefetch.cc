#include "eager/data/prefetch.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

#include "eager/data/stages.h"
#include "eager/data/workers.h"

namespace tandem::data::internal {
namespace {

class Ahead : public ElementIterator {
 public:
  Ahead(IteratorPtr input, int64_t buffer_size) : input_(std::move(input)), buffer_size_(buffer_size) {}
  ~Ahead() override {
    Stop();
    workers_.Join();
  }

  bool Next(Tensors& out) override {
    if (ended_) return false;
    if (!workers_.started()) workers_.Start(1, [this] { Produce(); }, [this] { Stop(); });
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return !ready_.empty(); });
    Item item = std::move(ready_.front());
    ready_.pop_front();
    taken_.notify_one();
    lock.unlock();
    if (item.error) std::rethrow_exception(item.error);
    ended_ = item.end;
    if (!ended_) std::swap(out, item.element);
    return !ended_;
  }

  int64_t Skip(int64_t n) override { return workers_.started() ? ElementIterator::Skip(n) : input_->Skip(n); }

 private:
  struct Item {
    Tensors element;
    std::exception_ptr error;
    bool end = false;
  };

  void Stop() {
    std::lock_guard lock(mutex_);
    stop_ = true;
    taken_.notify_all();
  }

  void Produce() {
    while (true) {
      {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [&] { return stop_ || static_cast<int64_t>(ready_.size()) < buffer_size_; });
        if (stop_) return;
      }
      Item item;
      try {
        item.end = !input_->Next(item.element);
      } catch (...) {
        item.error = std::current_exception();
      }
      const bool end = item.end;
      std::lock_guard lock(mutex_);
      ready_.push_back(std::move(item));
      filled_.notify_one();
      if (end) return;
    }
  }

  IteratorPtr input_;
  const int64_t buffer_size_;
  std::mutex mutex_;
  std::condition_variable filled_, taken_;
  std::deque<Item> ready_;
  bool stop_ = false;
  bool ended_ = false;  // the consumer's
  Workers workers_;
};

class PrefetchNode : public Node {
 public:
  PrefetchNode(NodePtr input, int64_t buffer_size) : Node("Prefetch", {std::move(input)}), buffer_size_(buffer_size) {
    CheckAtLeast(name(), "buffer_size", buffer_size, 1);
  }
  IteratorPtr MakeIterator(const PassContext& context) const override { return PrefetchIterator(input()->MakeIterator(context), buffer_size_); }
  std::optional<Components> components() const override { return input()->components(); }

 private:
  int64_t buffer_size_;
};

}  // namespace

IteratorPtr PrefetchIterator(IteratorPtr input, int64_t buffer_size) { return std::make_unique<Ahead>(std::move(input), buffer_size); }

NodePtr Prefetch(NodePtr input, int64_t buffer_size) { return std::make_shared<PrefetchNode>(std::move(input), buffer_size); }

}  // namespace tandem::data::internal
