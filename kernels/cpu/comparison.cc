// Equality with its strings and its unequal shapes, logic, choice.
#include <complex>
#include <string>

#include "core/status.h"
#include "core/kernel.h"
#include "kernels/cpu/elementwise.h"

namespace tandem {
namespace {

template <class T, class F>
void Compare(KernelCall& call, F equal) {
  bool* out = call.output().as<bool>();
  BroadcastLoop(call.inputs, call.output()).Run([&](const Operand2D* in, int64_t first, int64_t rows, int64_t cols) {
    bool* y = out + first;
    for (int64_t r = 0; r < rows; ++r) {
      const T* a = static_cast<const T*>(in[0].data) + r * in[0].row_stride;
      const T* b = static_cast<const T*>(in[1].data) + r * in[1].row_stride;
      for (int64_t c = 0; c < cols; ++c) *y++ = equal(a[c * in[0].col_stride], b[c * in[1].col_stride]);
    }
  });
}

// Inference lets shapes that do not broadcast through only when they are to compare as unequal.
bool Incomparable(const KernelCall& call) {
  return !BroadcastShapes(call.input(0).shape(), call.input(1).shape());
}

template <VecOp op>
absl::Status EqualityKernel(KernelCall& call) {
  if (Incomparable(call)) {
    *call.output().as<bool>() = op == VecOp::kNotEqual;
    return absl::OkStatus();
  }
  if (call.input(0).dtype == kString) {
    Compare<std::string>(call, [](const std::string& a, const std::string& b) { return (a == b) == (op == VecOp::kEqual); });
    return absl::OkStatus();
  }
  return RunElementwise(op, call);
}

template <VecOp op>
void SetEquality(CpuKernel& k) {
  SetElementwise<op>(k, /*broadcasts=*/true, kFloatTypes, kSignedTypes, kUnsignedTypes, kComplexTypes, kBoolType);
  for (KernelFn& fn : k.by_type)
    if (fn) fn = EqualityKernel<op>;
  k.Set(kString, EqualityKernel<op>);
}

template <VecOp op>
void SetLogical(CpuKernel& k, bool broadcasts) {
  k.Set(DType::kInvalid, ElementwiseKernel<op>);  // no type attribute
  k.dense[static_cast<uint8_t>(kBool)] = FindDenseFor(op, kBool);
  k.dense_inputs = static_cast<uint8_t>(NumInputs(op));
  k.dense_broadcasts = broadcasts;
  k.loop_op = static_cast<int16_t>(op);
  k.loop_types = 1u << static_cast<int>(kBool);
}

template <class T>
void Choose(const Operand2D* in, T* y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    const bool* condition = static_cast<const bool*>(in[0].data) + r * in[0].row_stride;
    const T* t = static_cast<const T*>(in[1].data) + r * in[1].row_stride;
    const T* e = static_cast<const T*>(in[2].data) + r * in[2].row_stride;
    for (int64_t c = 0; c < cols; ++c)
      *y++ = condition[c * in[0].col_stride] ? t[c * in[1].col_stride] : e[c * in[2].col_stride];
  }
}

// Elements are chosen, not computed: their size is all that counts.
absl::Status SelectKernel(KernelCall& call) {
  const DType dtype = call.output().dtype;
  const int64_t bytes = ElementBytes(dtype);
  char* out = static_cast<char*>(call.output().data);
  BroadcastLoop(call.inputs, call.output()).Run([&](const Operand2D* in, int64_t first, int64_t rows, int64_t cols) {
    char* y = out + first * bytes;
    if (dtype == kString) return Choose(in, reinterpret_cast<std::string*>(y), rows, cols);
    switch (bytes) {
      case 1: return Choose(in, reinterpret_cast<uint8_t*>(y), rows, cols);
      case 2: return Choose(in, reinterpret_cast<uint16_t*>(y), rows, cols);
      case 4: return FindElementwise(VecOp::kSelect, VecType::kI32)(in, y, rows, cols, nullptr);
      case 8: return FindElementwise(VecOp::kSelect, VecType::kI64)(in, y, rows, cols, nullptr);
      default: return Choose(in, reinterpret_cast<std::complex<double>*>(y), rows, cols);
    }
  });
  return absl::OkStatus();
}

}  // namespace

void EqualCpu(CpuKernel& k) { SetEquality<VecOp::kEqual>(k); }
void NotEqualCpu(CpuKernel& k) { SetEquality<VecOp::kNotEqual>(k); }
void LogicalAndCpu(CpuKernel& k) { SetLogical<VecOp::kLogicalAnd>(k, true); }
void LogicalOrCpu(CpuKernel& k) { SetLogical<VecOp::kLogicalOr>(k, true); }
void LogicalNotCpu(CpuKernel& k) { SetLogical<VecOp::kLogicalNot>(k, false); }
void SelectV2Cpu(CpuKernel& k) {
  const auto set = [&](const auto& dtypes) {
    for (DType d : dtypes) k.Set(d, SelectKernel);
  };
  set(kFloatTypes), set(kSignedTypes), set(kUnsignedTypes), set(kComplexTypes), set(kBoolType);
  k.Set(kString, SelectKernel);
  k.loop_op = static_cast<int16_t>(VecOp::kSelect);
  for (DType d : {kFloat32, kFloat64, kInt32, kInt64, kBool}) k.loop_types |= 1u << static_cast<int>(d);
}

}  // namespace tandem
