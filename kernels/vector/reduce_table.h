// The reductions of one vector unit by step and type.
#pragma once
#include "kernels/vector/kernel_table.h"
#include "kernels/vector/reduce.h"

namespace tandem::vec {

inline constexpr int kReduceSteps = 5;  // kSum to kSumSquares
inline constexpr int kReduceTypes = 4;  // kF32 to kI64

struct ReduceTable {
  // *y = one row of n elements; y[begin..end) = columns of [n, inner]; *y = block partials joined in order.
  void (*row[kReduceSteps][kReduceTypes])(const void* x, void* y, int64_t n) = {};
  void (*columns[kReduceSteps][kReduceTypes])(const void* x, void* y, int64_t n, int64_t inner, int64_t begin, int64_t end) = {};
  void (*combine[kReduceSteps][kReduceTypes])(const void* partial, void* y, int64_t blocks) = {};
};

const ReduceTable& ReductionsFor(Isa isa);
inline const ReduceTable& Reductions() {
  static const ReduceTable& table = ReductionsFor(ActiveIsa());
  return table;
}

}  // namespace tandem::vec
