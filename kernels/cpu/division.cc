// Division and powers of integers, where values can be wrong: the operand is looked through first, so that the error names
// the element and nothing traps.
#include <algorithm>

#include "core/status.h"
#include "core/visit.h"
#include "core/kernel.h"
#include "kernels/cpu/elementwise.h"

namespace tandem {
namespace {

// "[1,2]": the place of element i of a tensor.
std::string Coordinates(const TensorRep& x, int64_t i) {
  std::string text;
  for (int axis = x.rank - 1; axis >= 0; --axis) {
    text = absl::StrCat(i % x.dims()[axis], text.empty() ? "" : ",", text);
    i /= x.dims()[axis];
  }
  return x.rank == 0 ? "" : absl::StrCat("[", text, "]");
}

// The first element that `bad` holds for; -1 when there is none. No branch inside a block: nearly always nothing is found.
template <class F>
int64_t FindFirst(const TensorRep& x, F bad) {
  int64_t found = -1;
  VisitNumeric(x.dtype, [&]<class T>(T) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      const T* v = x.as<T>();
      for (int64_t i = 0; i < x.count && found < 0; i += 1024) {
        const int64_t end = std::min(i + 1024, x.count);
        bool any = false;
        for (int64_t k = i; k < end; ++k) any |= bad(v[k]);
        for (int64_t k = i; any && k < end; ++k)
          if (bad(v[k])) return void(found = k);
      }
    }
  });
  return found;
}

template <VecOp op>
absl::Status IntegerDivision(KernelCall& call) {
  const TensorRep& y = call.input(1);
  if (call.output().count != 0)
    if (const int64_t i = FindFirst(y, [](auto v) { return v == 0; }); i >= 0)
      return call.Error("integer division by zero: ", call.schema.inputs()[1].name, Coordinates(y, i), " is 0");
  return RunElementwise(op, call);
}

absl::Status IntegerPow(KernelCall& call) {
  const TensorRep& y = call.input(1);
  if (call.output().count != 0)
    if (const int64_t i = FindFirst(y, [](auto v) { return v < 0; }); i >= 0)
      return call.Error("integers have no negative powers: y", Coordinates(y, i), " is negative");
  return RunElementwise(VecOp::kPow, call);
}

template <VecOp op>
void SetIntegers(CpuKernel& k) {
  for (DType d : kSignedTypes) k.Set(d, IntegerDivision<op>);
  for (DType d : kUnsignedTypes) k.Set(d, IntegerDivision<op>);
}

}  // namespace

void DivCpu(CpuKernel& k) {
  SetElementwise<VecOp::kDiv>(k, /*broadcasts=*/true, kFloatTypes, kComplexTypes);
  SetIntegers<VecOp::kTruncateDiv>(k);
}
void FloorDivCpu(CpuKernel& k) {
  SetElementwise<VecOp::kFloorDiv>(k, /*broadcasts=*/true, kFloatTypes);
  SetIntegers<VecOp::kFloorDiv>(k);
}
void FloorModCpu(CpuKernel& k) {
  SetElementwise<VecOp::kFloorMod>(k, /*broadcasts=*/true, kFloatTypes);
  SetIntegers<VecOp::kFloorMod>(k);
}
void PowCpu(CpuKernel& k) {
  SetElementwise<VecOp::kPow>(k, /*broadcasts=*/true, kFloatTypes, kComplexTypes);
  for (DType d : kSignedTypes) k.Set(d, IntegerPow);
}

}  // namespace tandem
