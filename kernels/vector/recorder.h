// The abstract vector value of functions-*.inc that records: each operation appends a Node, equal nodes are one.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/vector/lane_calls.h"
#include "kernels/vector/primitives.h"

namespace tandem::vec::recording {

class Recorder {
 public:
  // has_scale: the machine scales by powers of two in one instruction.
  Recorder(PrimitiveGraph& graph, bool has_scale);
  ~Recorder();
  int Add(const Node& node);
  bool has_scale() const { return has_scale_; }
  static Recorder& Current();

 private:
  PrimitiveGraph& graph_;
  const bool has_scale_;
  std::vector<int> table_;  // open addressing over node numbers
};

template <Lane kL, typename T>
struct Value {
  using Elem = T;
  static constexpr Lane kLane = kL;
  int id;
  static Value Const(T x) {
    if constexpr (sizeof(T) == 4) return {Recorder::Current().Add({.op = Prim::kConst, .lane = kL, .operand = kL, .bits = std::bit_cast<uint32_t>(x)})};
    else return {Recorder::Current().Add({.op = Prim::kConst, .lane = kL, .operand = kL, .bits = std::bit_cast<uint64_t>(x)})};
  }
};
using F32 = Value<Lane::kF32, float>;
using F64 = Value<Lane::kF64, double>;
using I32 = Value<Lane::kI32, int32_t>;
using I64 = Value<Lane::kI64, int64_t>;

template <Lane kL>
struct Mask {
  static constexpr Lane kLane = kL;
  int id;
};
using M32 = Mask<Lane::kM32>;
using M64 = Mask<Lane::kM64>;

template <typename X>
struct Pair {
  using Elem = typename X::Elem;
  X lo, hi;
  static Pair Const(Elem x) {
    const X half = X::Const(x);
    return {half, half};
  }
};
template <>
struct Pair<M64> {
  M64 lo, hi;
};

template <typename Out, typename In>
Out Record(Prim op, In a, int b = -1, int c = -1, int imm = 0) {
  return {Recorder::Current().Add({.op = op, .lane = Out::kLane, .operand = In::kLane, .imm = static_cast<uint8_t>(imm), .a = a.id, .b = b, .c = c})};
}

template <typename V> inline constexpr bool kIsValue = false;
template <Lane kL, typename T> inline constexpr bool kIsValue<Value<kL, T>> = true;
template <typename V> concept AValue = kIsValue<V>;
template <typename V> concept AMask = std::is_same_v<V, M32> || std::is_same_v<V, M64>;
template <typename V> using MaskOf = std::conditional_t<sizeof(typename V::Elem) == 4, M32, M64>;

template <AValue V> V operator+(V a, V b) { return Record<V>(Prim::kAdd, a, b.id); }
template <AValue V> V operator-(V a, V b) { return Record<V>(Prim::kSub, a, b.id); }
template <AValue V> V operator*(V a, V b) { return Record<V>(Prim::kMul, a, b.id); }
template <AValue V> V operator/(V a, V b) { return Record<V>(Prim::kDiv, a, b.id); }
template <AValue V> V operator&(V a, V b) { return Record<V>(Prim::kAnd, a, b.id); }
template <AValue V> V operator|(V a, V b) { return Record<V>(Prim::kOr, a, b.id); }
template <AValue V> V operator^(V a, V b) { return Record<V>(Prim::kXor, a, b.id); }
template <AValue V> V AndNot(V a, V b) { return Record<V>(Prim::kAndNot, a, b.id); }
template <AValue V> V Fma(V a, V b, V c) { return Record<V>(Prim::kFma, a, b.id, c.id); }
template <AValue V> V Fnma(V a, V b, V c) { return Record<V>(Prim::kFnma, a, b.id, c.id); }
template <AValue V> V SquareRoot(V a) { return Record<V>(Prim::kSquareRoot, a); }
template <AValue V> V RoundNear(V a) { return Record<V>(Prim::kRoundNear, a); }
template <AValue V> V RoundDown(V a) { return Record<V>(Prim::kRoundDown, a); }
template <AValue V> V RoundUp(V a) { return Record<V>(Prim::kRoundUp, a); }
template <int K, AValue V> V Shl(V a) { return Record<V>(Prim::kShl, a, -1, -1, K); }
template <int K, AValue V> V Shr(V a) { return Record<V>(Prim::kShr, a, -1, -1, K); }

// The same register seen as another type: no node.
inline I32 Bits(F32 a) { return {a.id}; }
inline I64 Bits(F64 a) { return {a.id}; }
inline F32 FromBits(I32 a) { return {a.id}; }
inline F64 FromBits(I64 a) { return {a.id}; }

template <AMask M> M operator&(M a, M b) { return Record<M>(Prim::kMaskAnd, a, b.id); }
template <AMask M> M operator|(M a, M b) { return Record<M>(Prim::kMaskOr, a, b.id); }
template <AMask M> M operator^(M a, M b) { return Record<M>(Prim::kMaskXor, a, b.id); }
template <AMask M> M operator!(M a) { return Record<M>(Prim::kMaskNot, a); }

template <AValue V> MaskOf<V> Lt(V a, V b) { return Record<MaskOf<V>>(Prim::kLt, a, b.id); }
template <AValue V> MaskOf<V> Le(V a, V b) {
  if constexpr (std::is_floating_point_v<typename V::Elem>) return Record<MaskOf<V>>(Prim::kLe, a, b.id);
  else return !Lt(b, a);
}
template <AValue V> MaskOf<V> Eq(V a, V b) { return Record<MaskOf<V>>(Prim::kEq, a, b.id); }
template <AValue V> MaskOf<V> Ne(V a, V b) { return !Eq(a, b); }

template <AMask M, AValue V>
V Pick(M m, V yes, V no) {
  return {Recorder::Current().Add({.op = Prim::kPick, .lane = V::kLane, .operand = V::kLane, .a = m.id, .b = yes.id, .c = no.id})};
}
template <AMask M>
M Pick(M m, M yes, M no) {
  const M taken = m & yes;
  const M rest = Record<M>(Prim::kMaskAndNot, m, no.id);
  return taken | rest;
}

template <AValue V> V X86Min(V a, V b) {
  if constexpr (std::is_floating_point_v<typename V::Elem>) return Record<V>(Prim::kMin, a, b.id);
  else return Pick(Lt(a, b), a, b);
}
template <AValue V> V X86Max(V a, V b) {
  if constexpr (std::is_floating_point_v<typename V::Elem>) return Record<V>(Prim::kMax, a, b.id);
  else return Pick(Lt(b, a), a, b);
}

template <typename V> V ScaleByParts(V a, V k);  // functions-exp.inc
template <AValue V> V Scale(V a, V k) {
  return Recorder::Current().has_scale() ? Record<V>(Prim::kScale, a, k.id) : ScaleByParts(a, k);
}

template <AValue V> V CallAlways(LaneCall call, V a, V b) { return Record<V>(Prim::kCall, a, b.id, -1, static_cast<int>(call)); }
template <AMask M, AValue V> V CallWhere(LaneCall call, M where, V a, V fast) {
  return {Recorder::Current().Add({.op = Prim::kCallWhere, .lane = V::kLane, .operand = V::kLane, .imm = static_cast<uint8_t>(call), .a = where.id, .b = a.id, .c = fast.id})};
}

inline I32 TruncInt(F32 a) { return Record<I32>(Prim::kTruncInt, a); }
inline I64 TruncInt(F64 a) { return Record<I64>(Prim::kTruncInt, a); }
inline F32 ToFloat(I32 a) { return Record<F32>(Prim::kToFloat, a); }
inline F64 ToFloat(I64 a) { return Record<F64>(Prim::kToFloat, a); }

template <typename Out, typename In> Pair<Out> WidenAs(In a) {
  const Out low = Record<Out>(Prim::kWidenLow, a);
  return {low, Record<Out>(Prim::kWidenHigh, a)};
}
inline Pair<F64> Widen(F32 a) { return WidenAs<F64>(a); }
inline Pair<I64> Widen(I32 a) { return WidenAs<I64>(a); }
inline Pair<F64> WidenToFloat(I32 a) { return WidenAs<F64>(a); }
inline Pair<M64> Widen(M32 a) { return WidenAs<M64>(a); }
inline F32 Narrow(Pair<F64> a) { return Record<F32>(Prim::kJoin, a.lo, a.hi.id); }
inline I32 Narrow(Pair<I64> a) { return Record<I32>(Prim::kJoin, a.lo, a.hi.id); }
inline M32 Narrow(Pair<M64> a) { return Record<M32>(Prim::kJoin, a.lo, a.hi.id); }
inline F32 NarrowToFloat(Pair<I64> a) { return Record<F32>(Prim::kJoin, a.lo, a.hi.id); }
inline I32 TruncInt32(Pair<F64> a) { return Record<I32>(Prim::kJoin, a.lo, a.hi.id); }

#define VEC_INLINE inline
#include "kernels/vector/pair.inc"
#include "kernels/vector/functions-exp.inc"
#include "kernels/vector/functions-trig.inc"
#include "kernels/vector/functions-basic.inc"
#include "kernels/vector/functions-cast.inc"
#undef VEC_INLINE

}  // namespace tandem::vec::recording
