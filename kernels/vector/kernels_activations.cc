// Rectifiers, and the gradients that need no transcendental function.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/kernels_activations.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

TANDEM_VEC_FUNCTION(SqrtGrad, 0, true)
TANDEM_VEC_FUNCTION(RsqrtGrad, 0, true)
TANDEM_VEC_FUNCTION(ReciprocalGrad, 0, true)
TANDEM_VEC_FUNCTION(TanhGrad, 0, true)
TANDEM_VEC_FUNCTION(SigmoidGrad, 0, true)
TANDEM_VEC_FUNCTION(EluGrad, 0, true)
TANDEM_VEC_FUNCTION(SeluGrad, 0, true)
TANDEM_VEC_FUNCTION(SoftsignGrad, 0, true)
TANDEM_VEC_FUNCTION(ReluGrad, 0, true)
TANDEM_VEC_FUNCTION(Relu6Grad, 0, true)
TANDEM_VEC_FUNCTION(Softsign, 0, true)
TANDEM_VEC_FUNCTION(Relu, 0, true)
TANDEM_VEC_FUNCTION(Relu6, 0, true)
TANDEM_VEC_FUNCTION(LeakyRelu, 1, true)
TANDEM_VEC_FUNCTION(LeakyReluGrad, 1, true)

}  // namespace

void RegisterActivations(KernelTable& table) {
  TANDEM_VEC_BINARY_FLOATS(SqrtGrad);
  TANDEM_VEC_BINARY_FLOATS(RsqrtGrad);
  TANDEM_VEC_BINARY_FLOATS(ReciprocalGrad);
  TANDEM_VEC_BINARY_FLOATS(TanhGrad);
  TANDEM_VEC_BINARY_FLOATS(SigmoidGrad);
  TANDEM_VEC_BINARY_FLOATS(EluGrad);
  TANDEM_VEC_BINARY_FLOATS(SeluGrad);
  TANDEM_VEC_BINARY_FLOATS(SoftsignGrad);
  TANDEM_VEC_BINARY_FLOATS(LeakyReluGrad);
  TANDEM_VEC_BINARY_NUMBERS(ReluGrad);
  TANDEM_VEC_BINARY_NUMBERS(Relu6Grad);
  TANDEM_VEC_UNARY_FLOATS(Softsign);
  TANDEM_VEC_UNARY_FLOATS(LeakyRelu);
  TANDEM_VEC_UNARY_NUMBERS(Relu);
  TANDEM_VEC_UNARY_NUMBERS(Relu6);
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(RegisterActivations);
void AddActivations(KernelTable& table) { HWY_DYNAMIC_DISPATCH(RegisterActivations)(table); }
}  // namespace tandem::vec
#endif
