// The kernels of one vector unit, filled by the families of kernels_*.cc.
#pragma once
#include "kernels/vector/elementwise.h"

namespace tandem::vec {

struct KernelTable {
  ElementwiseFn elementwise[kVecOps][kVecTypes] = {};
  DenseFn dense[kVecOps][kVecTypes] = {};
  ElementwiseFn cast[kVecTypes][kVecTypes] = {};
  DenseFn dense_cast[kVecTypes][kVecTypes] = {};

  void Set(VecOp op, VecType type, ElementwiseFn fn, DenseFn dense_fn) {
    elementwise[static_cast<int>(op)][static_cast<int>(type)] = fn;
    dense[static_cast<int>(op)][static_cast<int>(type)] = dense_fn;
  }
  void SetCast(VecType from, VecType to, ElementwiseFn fn, DenseFn dense_fn) {
    cast[static_cast<int>(from)][static_cast<int>(to)] = fn;
    dense_cast[static_cast<int>(from)][static_cast<int>(to)] = dense_fn;
  }
};

enum class Isa : uint8_t { kBaseline, kAvx2, kAvx512 };

// The best this machine has, lowered by TANDEM_ISA=baseline|avx2.
Isa ActiveIsa();
// For tests that compare vector units; isa must not exceed what the machine has.
const KernelTable& KernelsFor(Isa isa);
inline const KernelTable& Kernels() {
  static const KernelTable& table = KernelsFor(ActiveIsa());
  return table;
}

}  // namespace tandem::vec
