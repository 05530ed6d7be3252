// Tensors made from a value: constants of a shape, ranges, one-hot rows.
//
//   Zeros({2, 0}, kFloat32);
//   Fill({2, 3}, 9);               // int32[2,3], all 9
//   Range(3, 18, 3);               // [3 6 9 12 15]
//   OneHot({0, 2}, 3);             // [[1. 0. 0.] [0. 0. 1.]]
#pragma once
#include "core/export.h"
#include "core/ints.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// shape filled with the scalar value. INVALID_ARGUMENT names a negative dimension or a value that is no scalar.
Tensor Fill(const Ints& shape, const Tensor& value, Origin origin = Here());
Tensor Zeros(const Ints& shape, DType dtype = kFloat32, Origin origin = Here());
Tensor Ones(const Ints& shape, DType dtype = kFloat32, Origin origin = Here());
// value converted to dtype, as a weak scalar is.
Tensor Full(const Ints& shape, Operand value, DType dtype = kFloat32);

// start, start + delta, start + 2 delta, … up to, not including, limit. INVALID_ARGUMENT when delta is 0 or leads away
// from limit. Floating: start + i * delta, not a running sum.
Tensor Range(Operand start, Operand limit, Operand delta);
Tensor Range(Operand limit);  // from 0 by 1

struct OneHotOptions {
  int64_t axis = -1;  // where the new dimension goes
};
// indices: [...] -> [..., depth]: on_value at each index, off_value elsewhere; an index outside [0, depth) gives all off.
Tensor OneHot(const Tensor& indices, Operand depth, const Tensor& on_value = 1.f, const Tensor& off_value = 0.f,
              OneHotOptions options = {}, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
