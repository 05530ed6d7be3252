// The program of a FusedElementwise node, decoded (core/ops/fused_elementwise.cc says how it is written).
#pragma once
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/op.h"
#include "core/status.h"

namespace tandem {

struct FusedInstruction {
  OpId op;
  absl::InlinedVector<int32_t, 3> args;      // k >= 0: input k; k < 0: the result of instruction ~k
  absl::InlinedVector<AttrValue, 1> attrs;   // the op's explicit ones, in schema order
};

// INVALID_ARGUMENT for what is no program: it may come from a file.
absl::StatusOr<std::vector<FusedInstruction>> ParseFusedProgram(std::span<const FuncAttr> program, int num_inputs);

}  // namespace tandem
