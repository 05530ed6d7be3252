// Comparisons, logic and selection. Truth values are bytes of 0 and 1 in memory, masks in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/kernels_compare.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

TANDEM_VEC_FUNCTION(Equal, 0, true)
TANDEM_VEC_FUNCTION(NotEqual, 0, true)
TANDEM_VEC_FUNCTION(Less, 0, true)
TANDEM_VEC_FUNCTION(LessEqual, 0, true)
TANDEM_VEC_FUNCTION(Greater, 0, true)
TANDEM_VEC_FUNCTION(GreaterEqual, 0, true)
TANDEM_VEC_FUNCTION(IsNan, 0, true)
TANDEM_VEC_FUNCTION(IsInf, 0, true)
TANDEM_VEC_FUNCTION(IsFinite, 0, true)
TANDEM_VEC_FUNCTION(LogicalNot, 0, true)
TANDEM_VEC_FUNCTION(LogicalAnd, 0, true)
TANDEM_VEC_FUNCTION(LogicalOr, 0, true)
TANDEM_VEC_FUNCTION(BoolEqual, 0, true)
TANDEM_VEC_FUNCTION(BoolNotEqual, 0, true)
TANDEM_VEC_FUNCTION(Select, 0, true)
TANDEM_VEC_FUNCTION(ClipByValue, 0, true)

}  // namespace

void RegisterCompare(KernelTable& table) {
  TANDEM_VEC_BINARY_NUMBERS(Equal);
  TANDEM_VEC_BINARY_NUMBERS(NotEqual);
  TANDEM_VEC_BINARY_NUMBERS(Less);
  TANDEM_VEC_BINARY_NUMBERS(LessEqual);
  TANDEM_VEC_BINARY_NUMBERS(Greater);
  TANDEM_VEC_BINARY_NUMBERS(GreaterEqual);
  TANDEM_VEC_UNARY_FLOATS(IsNan);
  TANDEM_VEC_UNARY_FLOATS(IsInf);
  TANDEM_VEC_UNARY_FLOATS(IsFinite);
  Register<LogicalNotFn, Bool<32>>(table, VecOp::kLogicalNot, VecType::kBool);
  Register<LogicalAndFn, Bool<32>, Bool<32>>(table, VecOp::kLogicalAnd, VecType::kBool);
  Register<LogicalOrFn, Bool<32>, Bool<32>>(table, VecOp::kLogicalOr, VecType::kBool);
  Register<BoolEqualFn, Bool<32>, Bool<32>>(table, VecOp::kEqual, VecType::kBool);
  Register<BoolNotEqualFn, Bool<32>, Bool<32>>(table, VecOp::kNotEqual, VecType::kBool);
  Register<SelectFn, Bool<32>, Num<float>, Num<float>>(table, VecOp::kSelect, VecType::kF32);
  Register<SelectFn, Bool<64>, Num<double>, Num<double>>(table, VecOp::kSelect, VecType::kF64);
  Register<SelectFn, Bool<32>, Num<int32_t>, Num<int32_t>>(table, VecOp::kSelect, VecType::kI32);
  Register<SelectFn, Bool<64>, Num<int64_t>, Num<int64_t>>(table, VecOp::kSelect, VecType::kI64);
  Register<SelectFn, Bool<32>, Bool<32>, Bool<32>>(table, VecOp::kSelect, VecType::kBool);
  Register<ClipByValueFn, Num<float>, Num<float>, Num<float>>(table, VecOp::kClipByValue, VecType::kF32);
  Register<ClipByValueFn, Num<double>, Num<double>, Num<double>>(table, VecOp::kClipByValue, VecType::kF64);
  Register<ClipByValueFn, Num<int32_t>, Num<int32_t>, Num<int32_t>>(table, VecOp::kClipByValue, VecType::kI32);
  Register<ClipByValueFn, Num<int64_t>, Num<int64_t>, Num<int64_t>>(table, VecOp::kClipByValue, VecType::kI64);
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(RegisterCompare);
void AddCompare(KernelTable& table) { HWY_DYNAMIC_DISPATCH(RegisterCompare)(table); }
}  // namespace tandem::vec
#endif
