// Elementwise kernels on raw memory, one vector body per function and type, chosen once for the machine's vector unit.
//
//   ElementwiseFn add = FindElementwise(VecOp::kAdd, VecType::kF32);
//   Operand2D in[2] = {{x, /*row_stride=*/cols, /*col_stride=*/1}, {bias, 0, 1}};    // x: [rows, cols], bias: [cols]
//   add(in, y, rows, cols, nullptr);                                                 // y = x + bias
//
// Every function is defined once, in functions-*.inc; these kernels, the fused programs (program.h) and the recorder
// instantiate the same text, so all give the same bits on one machine. Any NaN counts as equal to any NaN.
// Kernels do not allocate, do not throw and may run on any number of threads; bits do not depend on how rows are split.
#pragma once
#include <cstdint>

namespace tandem {

enum class VecOp : uint8_t {
#define VEC_OP(name, inputs, params, result) k##name,
#include "kernels/vector/vec_op.inc"
#undef VEC_OP
  kCast,  // from one type to another: FindCast
};
inline constexpr int kVecOps = static_cast<int>(VecOp::kCast) + 1;

enum class VecType : uint8_t { kF32, kF64, kI32, kI64, kBool };  // bool: one byte, 0 or 1
inline constexpr int kVecTypes = 5;

const char* Name(VecOp op);
const char* Name(VecType type);
int NumInputs(VecOp op);         // 1 to 3; Select is (bool, T, T)
int NumParams(VecOp op);         // LeakyRelu and its gradient: alpha
bool ReturnsBool(VecOp op);
int64_t ByteSize(VecType type);

// One operand of a loop over [rows, cols]. col_stride 1: the row lies dense at data + row * row_stride (in elements);
// col_stride 0: one element there serves the whole row. row_stride 0 repeats the row.
struct Operand2D {
  const void* data;
  int64_t row_stride;
  int col_stride;
};

// out: dense [rows, cols]; it may be exactly the memory of a dense operand of the same element size, else it must not
// overlap one. Pointers are aligned to their element; zero rows or columns are allowed. params: NumParams(op) values, or null.
using ElementwiseFn = void (*)(const Operand2D* in, void* out, int64_t rows, int64_t cols, const float* params);

// The same on n contiguous elements of each operand; b is unused by functions of one input.
using DenseFn = void (*)(const void* a, const void* b, void* out, int64_t n);

// The kernel whose data operands have `type` (Select: its second and third), null if the function has none for it.
// Integer division gives 0 where the divisor is 0, Pow 0 where an integer exponent is negative: ask FindZero or
// FindNegative first. INT_MIN / -1 is INT_MIN.
ElementwiseFn FindElementwise(VecOp op, VecType type);
// Null as well for functions of three inputs or with parameters.
DenseFn FindDense(VecOp op, VecType type);

// x86 semantics: floats truncate towards zero, out of range and NaN give the minimum; integers wrap; bool is x != 0.
ElementwiseFn FindCast(VecType from, VecType to);
DenseFn FindDenseCast(VecType from, VecType to);

// Row-major index in [rows, cols] of the first zero (negative) element of an integer operand, or -1.
int64_t FindZero(VecType type, const Operand2D& x, int64_t rows, int64_t cols);
int64_t FindNegative(VecType type, const Operand2D& x, int64_t rows, int64_t cols);

}  // namespace tandem
