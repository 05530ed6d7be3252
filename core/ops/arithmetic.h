// Elementwise arithmetic. Shapes broadcast as NumPy's do; dtypes must agree, scalars are weak (core/operand.h).
//
//   Tensor y = Add(x, 1) * w;               // w: a tensor or a Variable
//   Tensor q = ints / 2, r = ints % 3;      // true division (float64), FloorMod
//
// INVALID_ARGUMENT when shapes do not broadcast or dtypes differ; the text names op, arguments and shapes. Integers wrap.
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// x: [...], y: [...], broadcast together. Strings are joined by Add.
Tensor Add(Operand x, Operand y);
Tensor Sub(Operand x, Operand y);
Tensor Mul(Operand x, Operand y);
Tensor SquaredDifference(Operand x, Operand y);  // (x - y)²; for complex numbers |x - y|²
// NaN if either is; equal elements (0 and -0) give x's. The gradient of a tie goes to x.
Tensor Maximum(Operand x, Operand y);
Tensor Minimum(Operand x, Operand y);
// max(min(t, clip_value_max), clip_value_min), each broadcast to t. NaN stays.
Tensor ClipByValue(Operand t, Operand clip_value_min, Operand clip_value_max);
// The sum of one or more tensors of one shape, added left to right.
Tensor AddN(std::span<const Tensor> inputs, Origin origin = Here());

Tensor Neg(Operand x);
Tensor Abs(Operand x);
Tensor Sign(Operand x);    // -1, 0, 1; NaN for NaN; x / |x| for complex numbers
Tensor Square(Operand x);

// The quotient; integers round towards zero, and 0 as an integer divisor is INVALID_ARGUMENT naming the element.
Tensor Div(Operand x, Operand y);
// The quotient of floating and complex numbers, by IEEE rules; integers have no kernel (see Divide).
Tensor RealDiv(Operand x, Operand y);
// True division, as operator/ does: integers are cast to float64 (8 and 16 bits: float32) first.
Tensor Divide(Operand x, Operand y);
Tensor FloorDiv(Operand x, Operand y);   // rounded towards -inf
Tensor FloorMod(Operand x, Operand y);   // the remainder with y's sign: -7 mod 3 is 2
Tensor DivNoNan(Operand x, Operand y);   // 0 where y is 0
Tensor Reciprocal(Operand x);            // 1 / x

Tensor operator+(Operand x, Operand y);
Tensor operator-(Operand x, Operand y);
Tensor operator*(Operand x, Operand y);
Tensor operator/(Operand x, Operand y);  // Divide
Tensor operator%(Operand x, Operand y);  // FloorMod
Tensor operator-(Operand x);

}  // namespace tandem
TANDEM_EXPORT_END
