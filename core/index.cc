#include "core/index.h"

#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/arithmetic.h"
#include "core/ops/concat.h"
#include "core/ops/gather.h"
#include "core/ops/reshape.h"
#include "core/ops/slice.h"
#include "core/ops/tile.h"
#include "core/ops/transpose.h"
#include "core/infer.h"
#include "core/status.h"

namespace tandem {
namespace {

using Kind = IndexItem::Kind;

// The items but tensors, as the entries of one StridedSlice. Tensors, and integers beside them, take whole axes here.
struct Basic {
  std::vector<int64_t> begin, end, strides;
  StridedSliceOptions masks;

  int64_t bit() const { return int64_t{1} << begin.size(); }
  void Add(int64_t b, int64_t e, int64_t s) {
    begin.push_back(b);
    end.push_back(e);
    strides.push_back(s);
  }
  void All(int axes) {
    for (; axes > 0; --axes) {
      masks.begin_mask |= bit();
      masks.end_mask |= bit();
      Add(0, 0, 1);
    }
  }
};

// Axes that an item takes of the tensor.
int AxesOf(const IndexItem& item) {
  if (item.kind == Kind::kEllipsis || item.kind == Kind::kNewAxis) return 0;
  return item.kind == Kind::kTensor && item.tensor.dtype() == kBool ? item.tensor.rank() : 1;
}

// Positions along one axis, of an index tensor, an integer, or one axis of a mask.
struct Positions {
  int axis;  // of the tensor after the basic part
  Tensor at;
};

Tensor Wrapped(const Tensor& positions, const Tensor& x, int axis) {
  const Tensor at = positions.dtype() == kInt64 ? positions : Cast(positions, kInt64);
  const Tensor size = x.dim(axis) >= 0 ? Tensor(x.dim(axis)) : Gather(ShapeOf(x, kInt64), axis);
  return Select(Less(at, int64_t{0}), Add(at, size), at);
}

// All positions at once, by NumPy's rule: the index tensors broadcast together, and their axes stand where the first
// indexed axis was if they were neighbours, else first.
Tensor Advanced(const Tensor& x, const std::vector<Positions>& positions, bool neighbours) {
  if (positions.size() == 1) return Gather(x, positions[0].at, positions[0].axis);
  std::optional<Shape> shape = positions[0].at.shape();
  for (const Positions& p : positions) {
    auto both = BroadcastShapes(*shape, p.at.shape());
    if (!both)
      ThrowError(InvalidArgument("Index: index tensors do not broadcast: ", shape->ToString(), " and ", p.at.shape().ToString()));
    shape = std::move(both);
  }
  if (!shape->fully_known()) {
    // One mask's axes have one length between them, whatever it is.
    for (const Positions& p : positions)
      if (p.at.rank() != shape->rank()) ThrowError(InvalidArgument("Index: index tensors of unknown shape must have one rank"));
  }
  Tensors columns;
  std::vector<int64_t> order;
  for (const Positions& p : positions) {
    columns.push_back(shape->fully_known() ? BroadcastTo(p.at, *shape) : p.at);
    order.push_back(p.axis);
  }
  for (int k = 0; k < x.rank(); ++k)
    if (std::find(order.begin(), order.end(), k) == order.end()) order.push_back(k);
  const Tensor picked = GatherNd(Transpose(x, order), Stack(columns, -1));
  if (!neighbours || positions[0].axis == 0) return picked;
  // picked is [index axes, axes before, axes after]: the index axes go behind those before.
  const int index_rank = shape->rank(), before = positions[0].axis;
  std::vector<int64_t> back;
  for (int k = 0; k < before; ++k) back.push_back(index_rank + k);
  for (int k = 0; k < index_rank; ++k) back.push_back(k);
  for (int k = index_rank + before; k < picked.rank(); ++k) back.push_back(k);
  return Transpose(picked, back);
}

Tensor IndexWith(const Tensor& x, std::span<const IndexItem> items) {
  bool tensors = false, ellipsis = false;
  int taken = 0;
  for (const IndexItem& item : items) {
    if (item.kind == Kind::kTensor) {
      if (!item.tensor.defined()) ThrowError(absl::FailedPreconditionError("Index: an index is an undefined tensor"));
      if (item.tensor.dtype() != kBool && !IsInteger(item.tensor.dtype()))
        ThrowError(InvalidArgument("Index: an index tensor is ", std::string(DTypeName(item.tensor.dtype())), ", must be bool or an integer"));
      if (item.tensor.rank() < 0 || (item.tensor.dtype() == kBool && item.tensor.rank() == 0))
        ThrowError(InvalidArgument("Index: a mask must have a known rank of 1 or more"));
      tensors = true;
    }
    if (item.kind == Kind::kEllipsis && std::exchange(ellipsis, true)) ThrowError(InvalidArgument("Index: more than one Ellipsis"));
    taken += AxesOf(item);
  }
  if (items.size() > 60) ThrowError(InvalidArgument("Index: ", items.size(), " items, at most 60 can be"));
  if (x.rank() >= 0 && taken > x.rank())
    ThrowError(InvalidArgument("Index: ", taken, " axes are indexed, the tensor is ", x.shape().ToString()));
  if (tensors && x.rank() < 0) ThrowError(InvalidArgument("Index: index tensors need a tensor of known rank"));

  Basic basic;
  std::vector<std::pair<int, const IndexItem*>> advanced;  // with the axis after the basic part
  std::vector<int> places;                                 // of the items among all, to see which are neighbours
  int axis = 0, place = 0;
  for (const IndexItem& item : items) {
    ++place;
    switch (item.kind) {
      case Kind::kInteger:
        if (tensors) {
          advanced.emplace_back(axis++, &item);
          places.push_back(place);
          basic.All(1);
        } else {
          basic.masks.shrink_axis_mask |= basic.bit();
          basic.Add(item.integer, 0, 1);
        }
        break;
      case Kind::kSlice:
        if (!item.slice.start) basic.masks.begin_mask |= basic.bit();
        if (!item.slice.stop) basic.masks.end_mask |= basic.bit();
        basic.Add(item.slice.start.value_or(0), item.slice.stop.value_or(0), item.slice.step.value_or(1));
        ++axis;
        break;
      case Kind::kNewAxis:
        basic.masks.new_axis_mask |= basic.bit();
        basic.Add(0, 0, 1);
        ++axis;
        break;
      case Kind::kEllipsis:
        if (tensors) {
          basic.All(x.rank() - taken);
          axis += x.rank() - taken;
        } else {
          basic.masks.ellipsis_mask |= basic.bit();
          basic.Add(0, 0, 1);
        }
        break;
      case Kind::kTensor:
        advanced.emplace_back(axis, &item);
        places.push_back(place);
        basic.All(AxesOf(item));
        axis += AxesOf(item);
        break;
    }
  }
  const bool plain = basic.masks.new_axis_mask == 0 && std::all_of(items.begin(), items.end(), [](const IndexItem& i) { return i.kind == Kind::kTensor; });
  const Tensor part = plain ? x : StridedSlice(x, basic.begin, basic.end, basic.strides, basic.masks);
  if (!tensors) return part;

  std::vector<Positions> positions;
  for (const auto& [at, item] : advanced) {
    if (item->kind == Kind::kInteger) {
      positions.push_back({at, Wrapped(item->integer, part, at)});
    } else if (item->tensor.dtype() != kBool) {
      positions.push_back({at, Wrapped(item->tensor, part, at)});
    } else {
      const Shape mask = item->tensor.shape();
      for (int k = 0; k < mask.rank(); ++k)
        if (!Compatible(mask[k], part.dim(at + k)))
          ThrowError(InvalidArgument("Index: the mask is ", mask.ToString(), " (dim ", k, " = ", mask[k], "), the tensor has ",
                                     part.dim(at + k), " elements on axis ", at + k, ": ", part.shape().ToString()));
      const Tensors coordinates = Unstack(Where(item->tensor), 1, mask.rank());
      for (int k = 0; k < mask.rank(); ++k) positions.push_back({at + k, coordinates[k]});
    }
  }
  const bool neighbours = places.back() - places.front() == static_cast<int>(places.size()) - 1;
  return Advanced(part, positions, neighbours);
}

}  // namespace

Tensor Tensor::operator[](int64_t i) const {
  if (rank() == 0) ThrowError(InvalidArgument("Index: a scalar has no elements to index"));
  return StridedSlice(*this, {i}, {0}, {1}, {.shrink_axis_mask = 1});
}

Tensor Tensor::Index(std::initializer_list<IndexItem> items) const {
  (void)shape();  // throws when undefined
  return IndexWith(*this, {items.begin(), items.size()});
}

}  // namespace tandem
