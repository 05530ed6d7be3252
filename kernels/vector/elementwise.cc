#include "kernels/vector/elementwise.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "hwy/targets.h"
#include "kernels/vector/kernel_table.h"

namespace tandem {
namespace vec {

void AddArithmetic(KernelTable& table);
void AddActivations(KernelTable& table);
void AddCompare(KernelTable& table);
void AddExp(KernelTable& table);
void AddTrig(KernelTable& table);
void AddCasts(KernelTable& table);
void AddIntegers(KernelTable& table);

namespace {

// HWY_DYNAMIC_DISPATCH goes by the process-wide choice of target, so tables are built with that choice held down.
KernelTable Build(Isa isa) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  const int64_t avx2 = HWY_AVX2 | HWY_SCALAR, avx512 = HWY_AVX3 | avx2;
  hwy::GetChosenTarget().Update(isa == Isa::kAvx512 ? avx512 : isa == Isa::kAvx2 ? avx2 : HWY_SCALAR);
  KernelTable table;
  for (auto* add : {AddArithmetic, AddActivations, AddCompare, AddExp, AddTrig, AddCasts, AddIntegers}) add(table);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return table;
}

}  // namespace

Isa ActiveIsa() {
  static const Isa active = [] {
    const int64_t targets = hwy::SupportedTargets();
    const Isa best = targets & HWY_AVX3 ? Isa::kAvx512 : targets & HWY_AVX2 ? Isa::kAvx2 : Isa::kBaseline;
    const char* wanted = std::getenv("TANDEM_ISA");
    if (wanted == nullptr) return best;
    const Isa limit = !std::strcmp(wanted, "baseline") ? Isa::kBaseline : !std::strcmp(wanted, "avx2") ? Isa::kAvx2 : best;
    return limit < best ? limit : best;
  }();
  return active;
}

const KernelTable& KernelsFor(Isa isa) {
  static const KernelTable baseline = Build(Isa::kBaseline), active = Build(ActiveIsa());
  if (isa == ActiveIsa()) return active;
  if (isa == Isa::kBaseline) return baseline;
  static const KernelTable avx2 = Build(Isa::kAvx2);
  return avx2;
}

}  // namespace vec

namespace {

struct VecOpFacts {
  const char* name;
  int inputs, params;
  bool returns_bool;
};

enum Result { kSame = 0, kBool = 1 };
constexpr VecOpFacts kFacts[kVecOps] = {
#define VEC_OP(name, inputs, params, result) {#name, inputs, params, k##result == kBool},
#include "kernels/vector/vec_op.inc"
#undef VEC_OP
    {"Cast", 1, 0, false},
};

const VecOpFacts& Facts(VecOp op) { return kFacts[static_cast<int>(op)]; }

}  // namespace

const char* Name(VecOp op) { return Facts(op).name; }
int NumInputs(VecOp op) { return Facts(op).inputs; }
int NumParams(VecOp op) { return Facts(op).params; }
bool ReturnsBool(VecOp op) { return Facts(op).returns_bool; }

const char* Name(VecType type) {
  constexpr const char* kNames[kVecTypes] = {"float", "double", "int32", "int64", "bool"};
  return kNames[static_cast<int>(type)];
}

int64_t ByteSize(VecType type) {
  constexpr int64_t kBytes[kVecTypes] = {4, 8, 4, 8, 1};
  return kBytes[static_cast<int>(type)];
}

ElementwiseFn FindElementwise(VecOp op, VecType type) {
  return vec::Kernels().elementwise[static_cast<int>(op)][static_cast<int>(type)];
}
DenseFn FindDense(VecOp op, VecType type) { return vec::Kernels().dense[static_cast<int>(op)][static_cast<int>(type)]; }
ElementwiseFn FindCast(VecType from, VecType to) { return vec::Kernels().cast[static_cast<int>(from)][static_cast<int>(to)]; }
DenseFn FindDenseCast(VecType from, VecType to) {
  return vec::Kernels().dense_cast[static_cast<int>(from)][static_cast<int>(to)];
}

}  // namespace tandem
