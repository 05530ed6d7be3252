// Pipelines of elements: sources, transformations, and a loop that consumes them.
//
//   auto train = data::FromTensorSlices({images, labels}).Shuffle(10000, {.seed = 1}).Repeat(4).Batch(32).Prefetch(2);
//   for (auto& batch : train) {
//     auto& [images, labels] = batch;
//     …
//   }
//   auto names = data::TextLine("names.txt").Filter([](Tensor line) { return line.item<std::string>() != ""; })
//                    .Map([](Tensor line) { return std::pair(line, Parse(line)); }, {.num_parallel_calls = 4});
//
// Dataset<N> has elements of N tensors (data/element.h). It is a handle on an immutable description: copies share it, a
// transformation makes a new one, and nothing runs before a loop or an Iterator asks for an element. Sources are in
// data/sources.h.
//
// Functions take the tensors of an element (or an Element<N>, or Tensors) and run eagerly, on no tape: on the consumer's
// thread, or on threads of the pipeline with Prefetch, parallel Map and Interleave. What they throw comes out of the loop
// as it was thrown; the library's own Errors name stage and element ("Map: element 17: …"). The next element goes on
// behind the one that failed. Leaving a loop early stops the threads and waits for the calls they are in.
//
// A dataset's order is the same each time, but for: shuffles without a seed, Map with deterministic = false, and user
// functions with state. Threads: a Dataset may be used from many; an iteration belongs to one.
#pragma once
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/example.h"
#include "core/export.h"
#include "eager/data/element.h"
#include "eager/data/iterator.h"
#include "eager/data/options.h"
#include "eager/data/stages.h"

TANDEM_EXPORT_BEGIN
namespace tandem::data {

inline constexpr int64_t kForever = -1;
using tandem::FixedLen, tandem::VarLen;  // features for ParseExample

template <size_t N>
class Dataset {
 public:
  explicit Dataset(internal::NodePtr node) : node_(std::move(node)) {}

  // count times in a row; kForever: without end (unless a pass has no element).
  Dataset Repeat(int64_t count = kForever) const { return Dataset(internal::Repeat(node_, count)); }
  // In an order at random: each element is drawn from the buffer_size next ones. All orders are as likely when buffer_size
  // is at least the number of elements. Of tensor slices only row numbers are buffered.
  Dataset Shuffle(int64_t buffer_size, ShuffleOptions options = {}) const { return Dataset(internal::Shuffle(node_, buffer_size, options)); }
  // batch_size elements stacked along a new first axis; the last ones may be fewer. Of tensor slices, shuffled or not, each
  // batch is one gather. INVALID_ARGUMENT names the element whose shape or dtype differs from the batch's first.
  Dataset Batch(int64_t batch_size, BatchOptions options = {}) const { return Dataset(internal::Batch(node_, batch_size, options)); }
  // The same where shapes differ: each element is filled up at its ends.
  Dataset PaddedBatch(int64_t batch_size, PaddedBatchOptions options = {}) const { return Dataset(internal::PaddedBatch(node_, batch_size, std::move(options))); }
  // The rows of each element, one by one.
  Dataset Unbatch() const { return Dataset(internal::Unbatch(node_)); }
  // Elements i * shift, i * shift + stride, … : `size` of them stacked, as TensorFlow's window followed by batch.
  Dataset Window(int64_t size, WindowOptions options = {}) const { return Dataset(internal::Window(node_, size, options)); }
  Dataset Take(int64_t count) const { return Dataset(internal::Take(node_, count)); }  // kForever: all
  Dataset Skip(int64_t count) const { return Dataset(internal::Skip(node_, count)); }  // kForever: all
  // Elements index, index + num_shards, …
  Dataset Shard(int64_t num_shards, int64_t index) const { return Dataset(internal::Shard(node_, num_shards, index)); }
  // Keeps the elements of the first complete pass, in memory or in a file, for all later ones. A file that is there is
  // read in its place; who changes the pipeline removes it. DATA_LOSS names file, record and offset.
  Dataset Cache() const { return Dataset(internal::Cache(node_)); }
  Dataset Cache(std::string path) const { return Dataset(internal::CacheFile(node_, std::move(path))); }
  // Makes up to buffer_size elements ahead on a thread of its own.
  Dataset Prefetch(int64_t buffer_size) const { return Dataset(internal::Prefetch(node_, buffer_size)); }
  // An int64 number in front of each element.
  Dataset<N + 1> Enumerate(int64_t start = 0) const { return Dataset<N + 1>(internal::Enumerate(node_, start)); }
  // Other's elements behind these.
  Dataset Concatenate(const Dataset& other) const { return Dataset(internal::Concatenate(node_, other.node_)); }

  // function(element) in place of each element. It gives a Tensor, or a pair, tuple or array of them: then the result has
  // as many tensors. A function that gives Tensors says how many: Map<3>(function). Parallel calls overlap.
  template <size_t M = 0, class F>
  auto Map(F function, MapOptions options = {}) const {
    constexpr size_t deduced = internal::ArityOf<internal::ResultOf<N, F>>(), arity = M == 0 ? deduced : M;
    static_assert(arity > 0, "Map: the function gives Tensors; say how many: Map<3>(function)");
    static_assert(M == 0 || deduced == 0 || deduced == M, "Map: the function gives another number of tensors");
    return Dataset<arity>(internal::Map(
        node_, [f = std::move(function)](Tensors& in, Tensors& out) mutable { internal::Store(internal::Apply<N>(f, in), out); }, options));
  }
  // The elements for which predicate(element), a bool or a scalar bool tensor, is true.
  template <class F>
  Dataset Filter(F predicate) const {
    return Dataset(internal::Filter(node_, [f = std::move(predicate)](Tensors& in) mutable { return static_cast<bool>(internal::Apply<N>(f, in)); }));
  }
  // The elements of the datasets that function(element) gives: one dataset after the other, or several in turn.
  template <class F>
  auto FlatMap(F function) const {
    return InterleaveNamed("FlatMap", std::move(function), {.cycle_length = 1});
  }
  template <class F>
  auto Interleave(F function, InterleaveOptions options = {}) const {
    return InterleaveNamed("Interleave", std::move(function), options);
  }
  // Of serialized Examples: features as tensors, in the order given (core/example.h).
  template <size_t M>
  Dataset<M> ParseExample(const Feature (&features)[M], MapOptions options = {}) const {
    static_assert(N == 1, "ParseExample: elements are one tensor of serialized Examples");
    return Dataset<M>(internal::ParseExample(node_, {features, features + M}, options));
  }

  Iterator<N> MakeIterator() const { return Iterator<N>(node_); }

  // For range-for. Input iterators: one pass, the element is the iterator's own.
  class iterator {
   public:
    using value_type = Element<N>;
    using difference_type = std::ptrdiff_t;
    explicit iterator(internal::NodePtr node) : it_(std::move(node)), more_(it_.Next(element_)) {}
    Element<N>& operator*() { return element_; }
    iterator& operator++() {
      more_ = it_.Next(element_);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !more_; }

   private:
    Iterator<N> it_;
    Element<N> element_;
    bool more_;
  };
  iterator begin() const { return iterator(node_); }
  std::default_sentinel_t end() const { return {}; }

  const internal::NodePtr& node() const { return node_; }  // internal

 private:
  template <class F>
  auto InterleaveNamed(std::string_view name, F function, InterleaveOptions options) const {
    return internal::ResultOf<N, F>(internal::Interleave(
        node_, name, [f = std::move(function)](Tensors& in) mutable { return internal::Apply<N>(f, in).node(); }, options));
  }
  internal::NodePtr node_;
};

}  // namespace tandem::data
TANDEM_EXPORT_END
