#include "core/ops/reduction_axes.h"

namespace tandem {

absl::StatusOr<AxisMask> ReductionAxes(std::string_view op, std::string_view argument, std::span<const int64_t> axes,
                                       std::span<const int64_t> dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  AxisMask mask;
  for (size_t k = 0; k < axes.size(); ++k) {
    const int64_t axis = axes[k];
    if (axis < -rank || axis >= rank)
      return InvalidArgument(std::string(op), ": ", std::string(argument), "[", k, "] is ", axis, ", must be in [", -rank, ", ", rank,
                             ") for an input ", DimsToString(dims));
    const auto positive = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    if (mask[positive])
      return InvalidArgument(std::string(op), ": ", std::string(argument), " has axis ", positive, " twice, for an input ", DimsToString(dims));
    mask.set(positive);
  }
  return mask;
}

}  // namespace tandem
