#include "kernels/vector/elementwise.h"

#include <cstdlib>
#include <cstring>

#include "kernels/vector/isa_tables.h"
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

void AddAll(KernelTable& table) {
  for (auto* add : {AddArithmetic, AddActivations, AddCompare, AddExp, AddTrig, AddCasts, AddIntegers}) add(table);
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
  static IsaTables<KernelTable> tables(AddAll);
  return tables[isa];
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
