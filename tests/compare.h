// Whether a tensor is what was wanted, and how it differs.
//
//   CHECK(Difference(got, want, DefaultTolerance(want.dtype())) == "");
#pragma once
#include <string>

#include "core/tensor.h"
#include "core/tensor_compare.h"  // DifferentBits: the same bit for bit

namespace tandem {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};
// Of TensorFlow's results against ours: exact for all but floating and complex dtypes.
Tolerance DefaultTolerance(DType dtype);

// "" when dtype and shape are the same and every element is right: |got - want| <= atol + rtol * |want|; NaN equals NaN,
// an infinity only itself, 0 equals -0. Else what and where: "element 3 is 1.5, want 2".
std::string Difference(const Tensor& got, const Tensor& want, Tolerance tolerance);

}  // namespace tandem
