// The axes that a reduction got, checked: what inference says of known values and the kernel of fed ones, in one text.
//
//   ASSIGN_OR_RETURN(AxisMask reduced, ReductionAxes("Sum", "reduction_indices", {1, -1}, {2, 3}));   // error: axis 1 twice
#pragma once
#include <bitset>
#include <span>
#include <string_view>

#include "core/shape.h"
#include "core/status.h"

namespace tandem {

using AxisMask = std::bitset<kMaxRank>;  // bit k: axis k is reduced

// Axes count from the end when negative. INVALID_ARGUMENT naming op, argument, axis and shape when one is out of
// [-rank, rank) or appears twice.
absl::StatusOr<AxisMask> ReductionAxes(std::string_view op, std::string_view argument, std::span<const int64_t> axes,
                                       std::span<const int64_t> dims);

}  // namespace tandem
