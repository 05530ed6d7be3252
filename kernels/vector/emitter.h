// Machine code for AVX2 or AVX-512 from a recorded program.
//
// The code is a function void(CodeArgs*) that runs over rows and columns: a body unrolled so that short programs overlap
// their latencies, then one vector at a time; on AVX-512 the last one under a mask. Registers are given by furthest next
// use; inputs and constants are loaded again rather than spilled. Registers that no body needs hold constants and inputs
// that are one element for the whole row.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/vector/kernel_table.h"
#include "kernels/vector/primitives.h"

namespace tandem::vec {

inline constexpr int kMaxCodeOperands = 48;  // inputs and outputs together

// What the code reads, and the pointers and rows it uses up.
struct CodeArgs {
  int64_t rows, cols;                     // at least 1; on AVX2 cols is a multiple of kAvx2Columns
  void* pointer[kMaxCodeOperands];        // inputs, then outputs
  int64_t row_bytes[kMaxCodeOperands];    // from one row to the next
};
inline constexpr int64_t kAvx2Columns = 8;

// Position-independent bytes, or empty: an instruction this unit lacks, too many operands, too long.
std::vector<uint8_t> EmitProgram(const PrimitiveGraph& graph, Isa isa);

}  // namespace tandem::vec
