// The stages of datasets. A stage is immutable and shared; each pass over it has an ElementIterator of its own.
//
// Exceptions come out of Next as the user's functions threw them; an Error of the library's says stage and element. The
// call counts as the element's all the same: the next one goes on behind it.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <unordered_map>
#include <vector>

#include "core/status.h"
#include "core/tensor.h"

namespace tandem::data::internal {

class Node;
using NodePtr = std::shared_ptr<const Node>;

struct Component {
  DType dtype;
  Shape shape;
};
using Components = std::vector<Component>;

// What makes one pass differ from another: shuffles take their order from it.
struct PassContext {
  int64_t generation = 0;  // how many loops over the dataset were begun before
  uint64_t pass = 0;       // 0 in the first pass of every Repeat around
  // Seeds of shuffles that a restored iterator was saved with; null: their own.
  std::shared_ptr<const std::unordered_map<const Node*, int64_t>> seeds;
};

class ElementIterator {
 public:
  virtual ~ElementIterator() = default;
  // The next element, in out's storage; false at the end and from then on.
  virtual bool Next(Tensors& out) = 0;
  // Passes over n elements or up to the end; how many there were. Functions need not be called for them.
  virtual int64_t Skip(int64_t n);

  // Where elements are rows of tensors, in whatever order: those tensors, whose first dimensions are equal. Then NextRows
  // gives the next elements' row numbers, fewer than asked for at the end alone.
  virtual const Tensors* table() const { return nullptr; }
  virtual int64_t NextRows(std::span<int64_t>) { return 0; }
};
using IteratorPtr = std::unique_ptr<ElementIterator>;

class Node {
 public:
  Node(std::string_view name, std::vector<NodePtr> inputs) : name_(name), inputs_(std::move(inputs)) {}
  virtual ~Node() = default;
  virtual IteratorPtr MakeIterator(const PassContext& context) const = 0;
  // Dtypes and shapes, where they are known without running anything.
  virtual std::optional<Components> components() const { return std::nullopt; }
  // Of a shuffle: what its order comes from.
  virtual std::optional<int64_t> seed() const { return std::nullopt; }

  // How many loops over the dataset were begun before this one.
  int64_t BeginIteration() const { return iterations_.fetch_add(1, std::memory_order_relaxed); }

  const std::string& name() const { return name_; }
  const std::vector<NodePtr>& inputs() const { return inputs_; }
  const NodePtr& input() const { return inputs_[0]; }

 private:
  std::string name_;
  std::vector<NodePtr> inputs_;
  mutable std::atomic<int64_t> iterations_ = 0;
};

// An error of stage `name` about its element `index`: "Map: element 17: …".
template <class... Args>
[[noreturn, gnu::cold]] void ThrowAt(std::string_view stage, int64_t index, const Args&... args) {
  ThrowError(InvalidArgument(Absl(stage), ": element ", index, ": ", args...));
}
// Runs body. An Error of the library's that it throws comes out with stage and element in front; anything else as it is.
template <class F>
decltype(auto) AtElement(std::string_view stage, int64_t index, F&& body) {
  try {
    return body();
  } catch (const Error& e) {
    if (typeid(e) != typeid(Error)) throw;
    throw Error(e.code(), std::string(stage) + ": element " + std::to_string(index) + ": " + e.message(), e.node());
  }
}

// Row i of a tensor, sharing its elements.
Tensor Row(const Tensor& tensor, int64_t i);
// Rows [begin, end), sharing its elements.
Tensor Rows(const Tensor& tensor, int64_t begin, int64_t end);
// Elements of equal shape and dtype along a new first axis. `stage` and `first`, the number of elements[0], are for errors.
Tensors Stack(std::string_view stage, int64_t first, std::span<Tensors> elements);
// Copies n elements, strings and objects too.
void CopyElements(DType dtype, const void* from, void* to, int64_t n);
// The address of element i.
void* ElementAt(DType dtype, const void* data, int64_t i);
// A tensor of dtype with uninitialised elements (empty strings). RESOURCE_EXHAUSTED names the stage.
Tensor NewTensor(std::string_view stage, DType dtype, const Shape& shape);

// INVALID_ARGUMENT: "Batch: batch_size is 0, must be at least 1".
void CheckAtLeast(std::string_view stage, std::string_view argument, int64_t value, int64_t least);
// INVALID_ARGUMENT unless the tensor has a value: it is undefined, or belongs to a graph.
void CheckValue(std::string_view stage, const Tensor& tensor);
// kAutotune as a number of threads.
int NumCalls(std::string_view stage, int num_parallel_calls);

// Whole numbers that look random: value i of a seed's sequence (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t Next() { return Mix(state_ += 0x9e3779b97f4a7c15); }
  // Uniform in [0, n): the upper half of a product (Lemire, 2019), whose bias is below 2^-32 for n below 2^32.
  uint64_t Below(uint64_t n) { return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * n) >> 64); }
  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace tandem::data::internal
