// Threads of one stage: each with a fresh eager context, and one thread for its ops' loops.
#pragma once
#include <functional>
#include <thread>
#include <vector>

namespace tandem::data::internal {

class Workers {
 public:
  Workers() = default;
  ~Workers() { Join(); }
  Workers(const Workers&) = delete;
  bool started() const { return !threads_.empty(); }
  // body must return once whatever it waits for says stop. RESOURCE_EXHAUSTED when the system gives no thread: `stop` was
  // called and those that had started are gone.
  void Start(int count, const std::function<void()>& body, const std::function<void()>& stop);
  void Join();

 private:
  std::vector<std::thread> threads_;
};

}  // namespace tandem::data::internal
