// sin, cos, pow, and division of 32-bit integers, which goes through double.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/kernels_trig.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

TANDEM_VEC_FUNCTION(Sin, 0, false)
TANDEM_VEC_FUNCTION(Cos, 0, false)
TANDEM_VEC_FUNCTION(Pow, 0, false)
TANDEM_VEC_FUNCTION(FloorMod, 0, false)
TANDEM_VEC_FUNCTION(FloorDiv, 0, false)
TANDEM_VEC_FUNCTION(TruncateDiv, 0, false)
TANDEM_VEC_FUNCTION(TruncateMod, 0, false)

}  // namespace

void RegisterTrig(KernelTable& table) {
  TANDEM_VEC_UNARY_FLOATS(Sin);
  TANDEM_VEC_UNARY_FLOATS(Cos);
  TANDEM_VEC_BINARY_FLOATS(Pow);
  TANDEM_VEC_BINARY_FLOATS(FloorMod);
  TANDEM_VEC_BINARY(FloorMod, int32_t, kI32);
  TANDEM_VEC_BINARY(FloorDiv, int32_t, kI32);
  TANDEM_VEC_BINARY(TruncateDiv, int32_t, kI32);
  TANDEM_VEC_BINARY(TruncateMod, int32_t, kI32);
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(RegisterTrig);
void AddTrig(KernelTable& table) { HWY_DYNAMIC_DISPATCH(RegisterTrig)(table); }
}  // namespace tandem::vec
#endif
