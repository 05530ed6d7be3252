// exp, log and the functions built on them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/kernels_exp.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

TANDEM_VEC_FUNCTION(Exp, 0, false)
TANDEM_VEC_FUNCTION(Expm1, 0, false)
TANDEM_VEC_FUNCTION(Log, 0, false)
TANDEM_VEC_FUNCTION(Log1p, 0, false)
TANDEM_VEC_FUNCTION(Tanh, 0, false)
TANDEM_VEC_FUNCTION(Sigmoid, 0, false)
TANDEM_VEC_FUNCTION(Softplus, 0, false)
TANDEM_VEC_FUNCTION(Erf, 0, false)
TANDEM_VEC_FUNCTION(Erfc, 0, false)
TANDEM_VEC_FUNCTION(Elu, 0, false)
TANDEM_VEC_FUNCTION(Selu, 0, false)
TANDEM_VEC_FUNCTION(Xlogy, 0, false)
TANDEM_VEC_FUNCTION(SoftplusGrad, 0, false)

}  // namespace

void RegisterExp(KernelTable& table) {
  TANDEM_VEC_UNARY_FLOATS(Exp);
  TANDEM_VEC_UNARY_FLOATS(Expm1);
  TANDEM_VEC_UNARY_FLOATS(Log);
  TANDEM_VEC_UNARY_FLOATS(Log1p);
  TANDEM_VEC_UNARY_FLOATS(Tanh);
  TANDEM_VEC_UNARY_FLOATS(Sigmoid);
  TANDEM_VEC_UNARY_FLOATS(Softplus);
  TANDEM_VEC_UNARY_FLOATS(Erf);
  TANDEM_VEC_UNARY_FLOATS(Erfc);
  TANDEM_VEC_UNARY_FLOATS(Elu);
  TANDEM_VEC_UNARY_FLOATS(Selu);
  TANDEM_VEC_BINARY_FLOATS(Xlogy);
  TANDEM_VEC_BINARY_FLOATS(SoftplusGrad);
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(RegisterExp);
void AddExp(KernelTable& table) { HWY_DYNAMIC_DISPATCH(RegisterExp)(table); }
}  // namespace tandem::vec
#endif
