// NumPy's indexing.
//
//   a[0];                                        // the first row
//   a.Index({Ellipsis, Slice(0, 1)});            // a[..., 0:1]
//   a.Index({NewAxis, -1});                      // a[None, -1]
//   a.Index({Slice(std::nullopt, std::nullopt, -1)});   // a[::-1]
//   a.Index({a > 0});                            // the elements where a mask is true
//   a.Index({Slice(), Tensor({2, 0})});          // a[:, [2, 0]]
//
// Each is a few ops (StridedSlice, Gather, GatherNd, Where), so it is differentiable and works in graphs.
#pragma once
#include <concepts>
#include <optional>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct EllipsisTag {};
struct NewAxisTag {};
inline constexpr EllipsisTag Ellipsis{};  // as many whole axes as the other items leave
inline constexpr NewAxisTag NewAxis{};    // an axis of size 1

// start:stop:step; an end that is left out is the first or last element in the step's direction.
struct SliceItem {
  std::optional<int64_t> start, stop, step;
};
using OptionalIndex = std::optional<int64_t>;
inline SliceItem Slice() { return {}; }
template <class Start>  // a template, so that Slice(0, 3, 2) does not mean the op of that name
  requires std::integral<Start> || std::same_as<Start, OptionalIndex> || std::same_as<Start, std::nullopt_t>
SliceItem Slice(Start start, OptionalIndex stop, OptionalIndex step = {}) {
  return {OptionalIndex(start), stop, step};
}

struct IndexItem {
  enum class Kind { kInteger, kSlice, kEllipsis, kNewAxis, kTensor };

  template <std::integral T>
    requires(!std::same_as<T, bool>)
  IndexItem(T i) : kind(Kind::kInteger), integer(static_cast<int64_t>(i)) {}
  IndexItem(SliceItem s) : kind(Kind::kSlice), slice(s) {}
  IndexItem(EllipsisTag) : kind(Kind::kEllipsis) {}
  IndexItem(NewAxisTag) : kind(Kind::kNewAxis) {}
  // bool: a mask over as many axes as it has; integers: the positions to take, negative ones count from the end.
  IndexItem(const Tensor& t) : kind(Kind::kTensor), tensor(t) {}

  Kind kind;
  int64_t integer = 0;
  SliceItem slice;
  Tensor tensor;
};

}  // namespace tandem
TANDEM_EXPORT_END
