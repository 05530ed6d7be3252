#include "core/strided_slice.h"

#include <algorithm>

namespace tandem {
namespace {

bool Bit(int64_t mask, int64_t i) { return i < 64 && (static_cast<uint64_t>(mask) >> i & 1); }

// Where a slice begins or ends on an axis of dim elements: negative values count from the end, then the place is clamped
// to what the stride can reach, [0, dim] forward and [-1, dim - 1] backward.
int64_t Clamped(int64_t at, int64_t dim, bool forward) {
  if (at < 0) at += dim;
  return forward ? std::clamp<int64_t>(at, 0, dim) : std::clamp<int64_t>(at, -1, dim - 1);
}

}  // namespace

absl::StatusOr<StridedSliceSpec> DecodeStridedSlice(std::string_view op, const Shape& input, int64_t entries,
                                                    const int64_t* begin, const int64_t* end, const int64_t* strides,
                                                    const StridedSliceMasks& masks) {
  const auto error = [&](const auto&... text) { return InvalidArgument(std::string(op), ": ", text...); };
  const int rank = input.rank();

  // Axes that the ellipsis takes; without one, it stands at the end.
  int64_t ellipsis = -1, consumed = 0;
  for (int64_t i = 0; i < entries; ++i) {
    if (Bit(masks.ellipsis, i)) {
      if (ellipsis >= 0) return error("entries ", ellipsis, " and ", i, " are both an ellipsis, at most one can be");
      ellipsis = i;
    } else if (!Bit(masks.new_axis, i)) {
      ++consumed;
    }
  }
  if (consumed > rank) return error("slices ", consumed, " axes of an input ", input.ToString(), " with ", rank);

  StridedSliceSpec spec;
  const auto take_all = [&](int64_t count) {
    for (; count > 0; --count) {
      const int64_t dim = input[static_cast<int>(spec.size.size())];
      spec.begin.push_back(0);
      spec.stride.push_back(1);
      spec.size.push_back(dim);
      spec.output.push_back(dim);
    }
  };
  for (int64_t i = 0; i < entries; ++i) {
    if (i == ellipsis) {
      take_all(rank - consumed);
      continue;
    }
    if (Bit(masks.new_axis, i)) {
      spec.output.push_back(1);
      continue;
    }
    const int axis = static_cast<int>(spec.size.size());
    const int64_t dim = input[axis];
    const bool shrink = Bit(masks.shrink_axis, i);
    if (strides && strides[i] == 0) return error("strides[", i, "] must not be 0");
    if (shrink && strides && strides[i] < 0)
      return error("strides[", i, "] is ", strides[i], ", must be positive where an axis is dropped");
    const int64_t stride = strides ? strides[i] : 1;
    const bool forward = stride > 0;
    spec.begin.push_back(0);
    spec.stride.push_back(stride);
    spec.size.push_back(kUnknownDim);
    if (shrink) {
      spec.stride.back() = 1;
      spec.size.back() = 1;
      if (begin && dim >= 0) {
        const int64_t at = begin[i] < 0 ? begin[i] + dim : begin[i];
        if (at < 0 || at >= dim)
          return error("index ", begin[i], " is out of range on axis ", axis, ", must be in [", -dim, ", ", dim, "): the input is ", input.ToString());
        spec.begin.back() = at;
      }
      continue;
    }
    const bool from_start = Bit(masks.begin, i), to_end = Bit(masks.end, i);
    if (strides && dim >= 0 && (begin || from_start) && (end || to_end)) {
      const int64_t first = from_start ? (forward ? 0 : dim - 1) : Clamped(begin[i], dim, forward);
      const int64_t last = to_end ? (forward ? dim : -1) : Clamped(end[i], dim, forward);
      const int64_t span = last - first;
      spec.begin.back() = first;
      spec.size.back() = span != 0 && (span > 0) == forward ? span / stride + (span % stride != 0) : 0;
    }
    spec.output.push_back(spec.size.back());
  }
  if (ellipsis < 0) take_all(rank - consumed);
  if (spec.output.rank() < 0) return error("the result would have more than ", kMaxRank, " axes");
  return spec;
}

}  // namespace tandem
