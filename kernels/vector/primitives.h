// What a program is recorded as: a list of nodes, each one vector instruction (or two) on a full register.
// 64-bit values are two nodes, the low and the high half of the lanes of a 32-bit register (Pair in value-inl.h).
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/vector/elementwise.h"

namespace tandem::vec {

enum class Lane : uint8_t { kF32, kF64, kI32, kI64, kM32, kM64 };  // kM*: a mask beside lanes of that width
inline bool IsMask(Lane lane) { return lane >= Lane::kM32; }
inline bool IsFloat(Lane lane) { return lane <= Lane::kF64; }
inline int LaneBits(Lane lane) { return lane == Lane::kF32 || lane == Lane::kI32 || lane == Lane::kM32 ? 32 : 64; }

enum class Prim : uint8_t {
  kInput,    // a: input number; imm: 0 the low or only half, 1 the high one
  kConst,    // bits
  kAdd, kSub, kMul, kDiv, kMin, kMax, kScale, kFma, kFnma, kSquareRoot,
  kRoundNear, kRoundDown, kRoundUp,
  kAnd, kOr, kXor, kAndNot, kShl, kShr,  // shifts: imm
  kLt, kLe, kEq,                         // masks from values of `operand`
  kMaskAnd, kMaskOr, kMaskXor, kMaskNot, kMaskAndNot,
  kPick,                                 // a ? b : c
  kTruncInt, kToFloat,                   // between equal widths
  kWidenLow, kWidenHigh,                 // F32 -> F64, I32 -> I64, I32 -> F64, M32 -> M64
  kJoin,                                 // (low, high) of F64 or I64 or M64 -> half as wide: rounded, truncated
  kCall,                                 // imm: LaneCall; a, b
  kCallWhere,                            // imm: LaneCall; a: where, b: argument, c: value elsewhere
};

struct Node {
  Prim op;
  Lane lane;              // of the result
  Lane operand;           // of a (kPick, kCallWhere: of b)
  uint8_t imm = 0;
  int a = -1, b = -1, c = -1;
  uint64_t bits = 0;
};

struct GraphInput {
  VecType type;
  bool splat;
};
struct GraphOutput {
  VecType type;
  int low, high;          // high: -1 but for 64-bit types
};

struct PrimitiveGraph {
  std::vector<Node> nodes;
  std::vector<GraphInput> inputs;
  std::vector<GraphOutput> outputs;
};

}  // namespace tandem::vec
