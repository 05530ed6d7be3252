// Comparing tensors as the one law does: the same bits, where any NaN equals any NaN.
#pragma once
#include <string>

#include "core/tensor.h"

namespace tandem {

// "" when a and b have the same dtype, shape and bits; else where they differ first: "element [1,2] is 0.5 and 0.25 (3 of
// 12 differ)". Undefined tensors are equal to each other only.
std::string DifferentBits(const Tensor& a, const Tensor& b);

}  // namespace tandem
