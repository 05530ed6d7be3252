// The rows of elementwise ops that are a vector function and nothing else.
#include <complex>
#include <cstring>

#include "core/status.h"
#include "core/kernel.h"
#include "kernels/cpu/elementwise.h"

namespace tandem {
namespace {

constexpr bool kBroadcasts = true, kSameShapes = false;

template <VecOp op>
absl::Status AlphaKernel(KernelCall& call) {
  const float alpha = call.attr<float>("alpha");
  return RunElementwise(op, call, &alpha);
}

// Integers are whole already; TensorFlow 2.21 gives zeros for them.
absl::Status CopyInput(KernelCall& call) {
  std::memcpy(call.output().data, call.input(0).data, static_cast<size_t>(call.output().bytes()));
  return absl::OkStatus();
}

template <class R>
absl::Status ConjKernel(KernelCall& call) {
  const auto* x = call.input(0).as<std::complex<R>>();
  auto* y = call.output().as<std::complex<R>>();
  for (int64_t i = 0; i < call.output().count; ++i) y[i] = std::conj(x[i]);
  return absl::OkStatus();
}

}  // namespace

#define ROW(name, op, ...) \
  void name##Cpu(CpuKernel& k) { SetElementwise<VecOp::op>(k, __VA_ARGS__); }

ROW(AddV2, kAdd, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes, kComplexTypes)
ROW(Sub, kSub, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes, kComplexTypes)
ROW(Mul, kMul, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes, kComplexTypes)
ROW(RealDiv, kDiv, kBroadcasts, kFloatTypes, kComplexTypes)
ROW(DivNoNan, kDivNoNan, kBroadcasts, kFloatTypes, kComplexTypes)
ROW(SquaredDifference, kSquaredDifference, kBroadcasts, kFloatTypes, std::array{kInt32, kInt64}, kComplexTypes)
ROW(Maximum, kMaximum, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(Minimum, kMinimum, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(ClipByValue, kClipByValue, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes)

ROW(Less, kLess, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(LessEqual, kLessEqual, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(Greater, kGreater, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(GreaterEqual, kGreaterEqual, kBroadcasts, kFloatTypes, kSignedTypes, kUnsignedTypes)

ROW(Abs, kAbs, kSameShapes, kFloatTypes, kSignedTypes)
ROW(Neg, kNeg, kSameShapes, kFloatTypes, kSignedTypes, kComplexTypes)
ROW(Sign, kSign, kSameShapes, kFloatTypes, kSignedTypes, kComplexTypes)
ROW(Square, kSquare, kSameShapes, kFloatTypes, kSignedTypes, kUnsignedTypes, kComplexTypes)
ROW(Sqrt, kSqrt, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Rsqrt, kRsqrt, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Reciprocal, kReciprocal, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Exp, kExp, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Expm1, kExpm1, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Log, kLog, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Log1p, kLog1p, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Sin, kSin, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Cos, kCos, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Tanh, kTanh, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Sigmoid, kSigmoid, kSameShapes, kFloatTypes, kComplexTypes)
ROW(Erf, kErf, kSameShapes, kFloatTypes)
ROW(Erfc, kErfc, kSameShapes, kFloatTypes)
ROW(Floor, kFloor, kSameShapes, kFloatTypes)
ROW(Ceil, kCeil, kSameShapes, kFloatTypes)
ROW(IsNan, kIsNan, kSameShapes, kFloatTypes)
ROW(IsInf, kIsInf, kSameShapes, kFloatTypes)
ROW(IsFinite, kIsFinite, kSameShapes, kFloatTypes)

ROW(SqrtGrad, kSqrtGrad, kSameShapes, kFloatTypes, kComplexTypes)
ROW(RsqrtGrad, kRsqrtGrad, kSameShapes, kFloatTypes, kComplexTypes)
ROW(TanhGrad, kTanhGrad, kSameShapes, kFloatTypes, kComplexTypes)
ROW(SigmoidGrad, kSigmoidGrad, kSameShapes, kFloatTypes, kComplexTypes)

ROW(Relu, kRelu, kSameShapes, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(ReluGrad, kReluGrad, kSameShapes, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(Relu6, kRelu6, kSameShapes, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(Relu6Grad, kRelu6Grad, kSameShapes, kFloatTypes, kSignedTypes, kUnsignedTypes)
ROW(Elu, kElu, kSameShapes, kFloatTypes)
ROW(EluGrad, kEluGrad, kSameShapes, kFloatTypes)
ROW(Softplus, kSoftplus, kSameShapes, kFloatTypes)
ROW(SoftplusGrad, kSoftplusGrad, kSameShapes, kFloatTypes)
#undef ROW

void LeakyReluCpu(CpuKernel& k) {
  for (DType d : kFloatTypes) k.Set(d, AlphaKernel<VecOp::kLeakyRelu>);
}
void LeakyReluGradCpu(CpuKernel& k) {
  for (DType d : kFloatTypes) k.Set(d, AlphaKernel<VecOp::kLeakyReluGrad>);
}
void RoundCpu(CpuKernel& k) {
  SetElementwise<VecOp::kRound>(k, kSameShapes, kFloatTypes);
  for (DType d : kSignedTypes) k.Set(d, CopyInput);
}
void ConjCpu(CpuKernel& k) {
  k.Set(kComplex64, ConjKernel<float>);
  k.Set(kComplex128, ConjKernel<double>);
}

}  // namespace tandem
