// Kernels of elementwise ops, from the vector functions.
//
//   void TanhCpu(CpuKernel& k) { SetElementwise<VecOp::kTanh>(k, /*broadcasts=*/false, kFloatTypes, kComplexTypes); }
#pragma once
#include <array>

#include "core/kernel.h"
#include "kernels/cpu/broadcast.h"

namespace tandem {

inline constexpr std::array kFloatTypes = {kFloat32, kFloat64, kFloat16, kBFloat16};
inline constexpr std::array kSignedTypes = {kInt32, kInt64, kInt8, kInt16};
inline constexpr std::array kUnsignedTypes = {kUint8, kUint16, kUint32, kUint64};
inline constexpr std::array kComplexTypes = {kComplex64, kComplex128};
inline constexpr std::array kBoolType = {kBool};

// The function that computes op on elements of dtype, whichever way, and the loop over call's inputs and output 0.
// UNIMPLEMENTED when there is none.
absl::Status RunElementwise(VecOp op, KernelCall& call, const float* params = nullptr);
// One block of that loop, for kernels with loops of their own; in: NumInputs(op) operands of dtype (Select: bool first).
// False when there is no such function.
bool RunElementwiseBlock(VecOp op, DType dtype, const Operand2D* in, void* out, int64_t rows, int64_t cols, const float* params);

template <VecOp op>
absl::Status ElementwiseKernel(KernelCall& call) {
  return RunElementwise(op, call);
}

// Whether the vector function of op takes elements of dtype as they are.
bool HasVectorFunction(VecOp op, DType dtype);
// The dense function of op for elements of dtype; null where tiles must be widened first, or there is no function.
DenseFn FindDenseFor(VecOp op, DType dtype);

// Adds the kernels for dtypes; `broadcasts` says whether one element may meet many.
template <VecOp op, class... Types>
void SetElementwise(CpuKernel& k, bool broadcasts, const Types&... dtypes) {
  k.loop_op = static_cast<int16_t>(op);
  const auto set = [&](DType d) {
    k.Set(d, ElementwiseKernel<op>, FindDenseFor(op, d));
    if (HasVectorFunction(op, d)) k.loop_types |= 1u << static_cast<int>(d);
  };
  const auto set_all = [&](const auto& list) {
    for (DType d : list) set(d);
  };
  (set_all(dtypes), ...);
  k.dense_inputs = static_cast<uint8_t>(NumInputs(op));
  k.dense_broadcasts = broadcasts;
  if (ReturnsBool(op)) k.dense_output = kBool;
}

}  // namespace tandem
