#include "kernels/cpu/reduction.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/int_values.h"
#include "core/kernel.h"
#include "core/parallel.h"
#include "kernels/cpu/widen.h"

namespace tandem {
namespace {

// The dtypes that kernels/vector reduces; their accumulators are their own.
std::optional<VecType> VectorType(DType dtype) {
  switch (dtype) {
    case kFloat32: return VecType::kF32;
    case kFloat64: return VecType::kF64;
    case kInt32: return VecType::kI32;
    case kInt64: return VecType::kI64;
    case kBool: return VecType::kBool;
    default: return std::nullopt;
  }
}
ReduceOp VectorOp(Fold fold, DType dtype) {
  switch (fold) {
    case Fold::kSum: return ReduceOp::kSum;
    case Fold::kProd: return ReduceOp::kProd;
    case Fold::kMax: return dtype == kBool ? ReduceOp::kAny : ReduceOp::kMax;
    default: return dtype == kBool ? ReduceOp::kAll : ReduceOp::kMin;
  }
}

}  // namespace

absl::Status ReduceAxes(Fold fold, bool mean, const TensorRep& x, const AxisMask& reduced, TensorRep& y) {
  if (y.count == 0) return absl::OkStatus();
  // Adjacent axes of one kind are one axis; axes of size 1 are none.
  struct Segment {
    int64_t size;
    bool reduced;
  };
  absl::InlinedVector<Segment, 8> segments;
  int64_t count = 1;
  for (int i = 0; i < x.rank; ++i) {
    const int64_t size = x.dims()[i];
    if (reduced[i]) count *= size;
    if (size == 1) continue;
    if (!segments.empty() && segments.back().reduced == reduced[i]) segments.back().size *= size;
    else segments.push_back({size, reduced[i]});
  }
  const auto first = std::find_if(segments.begin(), segments.end(), [](const Segment& s) { return s.reduced; });
  if (first == segments.end()) {
    std::memcpy(y.data, x.data, y.bytes());
    return absl::OkStatus();
  }

  // One pass for each reduced segment, the last first.
  DType dtype = x.dtype;
  const void* in = x.data;
  Block blocks[2];
  for (size_t s = segments.size(), pass = 0; s-- > 0;) {
    if (!segments[s].reduced) continue;
    const std::optional<VecType> vec = mean && dtype == kInt32 ? std::nullopt : VectorType(dtype);
    const FoldKernel& f = FindFold(fold, dtype);
    const DType acc = vec ? dtype : f.acc;
    int64_t outer = 1, inner = 1;
    for (size_t k = 0; k < segments.size(); ++k)
      if (k < s) outer *= segments[k].size;
      else if (k > s) inner *= segments[k].size;
    const bool last = static_cast<size_t>(first - segments.begin()) == s;
    const bool in_place = last && acc == y.dtype;
    void* out = y.data;
    if (!in_place) {
      Block& block = blocks[pass++ % 2];
      block.Free();
      RETURN_IF_ERROR(ReserveBlock(block, acc, outer * inner));
      out = block.data();
    }
    if (vec) RETURN_IF_ERROR(ReduceMiddle(VectorOp(fold, dtype), *vec, in, outer, segments[s].size, inner, out));
    else RETURN_IF_ERROR(FoldMiddle(f, dtype, in, outer, segments[s].size, inner, out));
    if (last) {
      if (mean || !in_place) FinishFold(acc, out, y.dtype, y.data, y.count, mean, count);
      break;
    }
    segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(s));
    in = out;
    dtype = acc;
  }
  return absl::OkStatus();
}

namespace {

template <Fold fold, bool mean = false>
absl::Status Reduction(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const auto axes = IntValues(call.input(1));
  ASSIGN_OR_RETURN(const AxisMask reduced, ReductionAxes(call.schema.name(), "reduction_indices", axes, x.dims_span()));
  return ReduceAxes(fold, mean, x, reduced, call.output());
}

// Squares of half types are summed in float32.
absl::Status L2Loss(KernelCall& call) {
  const TensorRep& t = call.input(0);
  TensorRep& out = call.output();
  if (t.dtype == kFloat32 || t.dtype == kFloat64) {
    RETURN_IF_ERROR(ReduceMiddle(ReduceOp::kSumSquares, *VectorType(t.dtype), t.data, 1, t.count, 1, out.data));
    if (t.dtype == kFloat32) *out.as<float>() *= 0.5f;
    else *out.as<double>() *= 0.5;
    return absl::OkStatus();
  }
  Scratch<float> wide;
  RETURN_IF_ERROR(wide.Reserve(call.schema.name(), t.count));
  Widen(t.dtype, t.data, wide.data(), t.count);
  float sum = 0;
  RETURN_IF_ERROR(ReduceMiddle(ReduceOp::kSumSquares, VecType::kF32, wide.data(), 1, t.count, 1, &sum));
  sum *= 0.5f;
  Narrow(t.dtype, &sum, out.data, 1);
  return absl::OkStatus();
}

constexpr DType kReal[] = {kFloat32, kFloat64, kFloat16, kBFloat16, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64};

void SetReal(CpuKernel& k, KernelFn fn) {
  for (DType d : kReal) k.Set(d, fn);
}
void SetNumbers(CpuKernel& k, KernelFn fn) {
  SetReal(k, fn);
  k.Set({kComplex64, kComplex128}, fn);
}

}  // namespace

void L2LossCpu(CpuKernel& k) { k.Set({kFloat32, kFloat64, kFloat16, kBFloat16}, L2Loss); }
void SumCpu(CpuKernel& k) { SetNumbers(k, Reduction<Fold::kSum>); }
void MeanCpu(CpuKernel& k) { SetNumbers(k, Reduction<Fold::kSum, true>); }
void ProdCpu(CpuKernel& k) { SetNumbers(k, Reduction<Fold::kProd>); }
void MaxCpu(CpuKernel& k) { SetReal(k, Reduction<Fold::kMax>); }
void MinCpu(CpuKernel& k) { SetReal(k, Reduction<Fold::kMin>); }
// Their kernel type attr is Tidx, the only one.
void AllCpu(CpuKernel& k) { k.Set({kInt32, kInt64}, Reduction<Fold::kMin>); }
void AnyCpu(CpuKernel& k) { k.Set({kInt32, kInt64}, Reduction<Fold::kMax>); }

}  // namespace tandem
