// Arithmetic whose vector body is a handful of instructions.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/kernels_arithmetic.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

TANDEM_VEC_FUNCTION(Add, 0, true)
TANDEM_VEC_FUNCTION(Sub, 0, true)
TANDEM_VEC_FUNCTION(Mul, 0, true)
TANDEM_VEC_FUNCTION(Maximum, 0, true)
TANDEM_VEC_FUNCTION(Minimum, 0, true)
TANDEM_VEC_FUNCTION(SquaredDifference, 0, true)
TANDEM_VEC_FUNCTION(Div, 0, true)
TANDEM_VEC_FUNCTION(DivNoNan, 0, true)
TANDEM_VEC_FUNCTION(MulNoNan, 0, true)
TANDEM_VEC_FUNCTION(Xdivy, 0, true)
TANDEM_VEC_FUNCTION(FloorDiv, 0, true)
TANDEM_VEC_FUNCTION(Abs, 0, true)
TANDEM_VEC_FUNCTION(Neg, 0, true)
TANDEM_VEC_FUNCTION(Sign, 0, true)
TANDEM_VEC_FUNCTION(Square, 0, true)
TANDEM_VEC_FUNCTION(Sqrt, 0, true)
TANDEM_VEC_FUNCTION(Rsqrt, 0, true)
TANDEM_VEC_FUNCTION(Reciprocal, 0, true)
TANDEM_VEC_FUNCTION(Floor, 0, true)
TANDEM_VEC_FUNCTION(Ceil, 0, true)
TANDEM_VEC_FUNCTION(Round, 0, true)

}  // namespace

void RegisterArithmetic(KernelTable& table) {
  TANDEM_VEC_BINARY_NUMBERS(Add);
  TANDEM_VEC_BINARY_NUMBERS(Sub);
  TANDEM_VEC_BINARY_NUMBERS(Mul);
  TANDEM_VEC_BINARY_NUMBERS(Maximum);
  TANDEM_VEC_BINARY_NUMBERS(Minimum);
  TANDEM_VEC_BINARY_NUMBERS(SquaredDifference);
  TANDEM_VEC_BINARY_FLOATS(Div);
  TANDEM_VEC_BINARY_FLOATS(DivNoNan);
  TANDEM_VEC_BINARY_FLOATS(MulNoNan);
  TANDEM_VEC_BINARY_FLOATS(Xdivy);
  TANDEM_VEC_BINARY_FLOATS(FloorDiv);
  TANDEM_VEC_UNARY_NUMBERS(Abs);
  TANDEM_VEC_UNARY_NUMBERS(Neg);
  TANDEM_VEC_UNARY_NUMBERS(Sign);
  TANDEM_VEC_UNARY_NUMBERS(Square);
  TANDEM_VEC_UNARY_FLOATS(Sqrt);
  TANDEM_VEC_UNARY_FLOATS(Rsqrt);
  TANDEM_VEC_UNARY_FLOATS(Reciprocal);
  TANDEM_VEC_UNARY_FLOATS(Floor);
  TANDEM_VEC_UNARY_FLOATS(Ceil);
  TANDEM_VEC_UNARY_FLOATS(Round);
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(RegisterArithmetic);
void AddArithmetic(KernelTable& table) { HWY_DYNAMIC_DISPATCH(RegisterArithmetic)(table); }
}  // namespace tandem::vec
#endif
