// Numbers beside the elements of a loop.
//
//   for (auto [i, batch] : Enumerate(train)) { auto& [images, labels] = batch; … }
//   for (auto [i, name] : Enumerate(names, 1)) …                // any range
//
// A temporary that is given lives as long as the loop; what has a name is only referred to.
#pragma once
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// R: a reference for a range with a name, else the range itself.
template <class R>
class Enumerated {
 public:
  template <class It>
  class iterator {
   public:
    using Value = decltype(*std::declval<It&>());
    using Item = std::pair<int64_t, Value>;
    iterator(It it, int64_t number) : it_(std::move(it)), number_(number) {}
    Item& operator*() { return item_.emplace(number_, *it_); }
    iterator& operator++() {
      ++it_;
      ++number_;
      return *this;
    }
    template <class End>
    bool operator==(const End& end) const {
      return it_ == end;
    }

   private:
    It it_;
    int64_t number_;
    std::optional<Item> item_;
  };

  Enumerated(R&& range, int64_t start) : range_(std::forward<R>(range)), start_(start) {}
  auto begin() {
    using std::begin;
    return iterator<decltype(begin(range_))>(begin(range_), start_);
  }
  auto end() {
    using std::end;
    return end(range_);
  }

 private:
  R range_;
  int64_t start_;
};

template <class R>
Enumerated<R> Enumerate(R&& range, int64_t start = 0) {
  return {std::forward<R>(range), start};
}

}  // namespace tandem
TANDEM_EXPORT_END
