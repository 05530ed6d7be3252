#include <algorithm>

#include "kernels/vector/emitter_impl.h"
#include "kernels/vector/lane_calls.h"

namespace tandem::vec {
namespace {

// What emitted code calls for the lanes of a kCall or kCallWhere.
void CallFromCode(uint64_t call, const void* a, const void* b, void* out, uint64_t lanes, uint64_t is_double) {
  const LaneCall which = static_cast<LaneCall>(call);
  const int n = static_cast<int>(lanes);
  if (is_double) CallLanes(which, static_cast<const double*>(a), static_cast<const double*>(b), static_cast<double*>(out), n);
  else CallLanes(which, static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(out), n);
}

// vcmpps predicates, quiet.
constexpr uint8_t kEqual = 0, kLess = 17, kLessEqual = 18, kGreaterEqual = 29, kGreater = 30;

}  // namespace

// --- Registers and memory.

int Emitter::Allocate(RegisterFile& file) {
  int reg = file.FindFree();
  if (reg >= 0) return reg;
  reg = file.FindVictim([&](int v) { return uses_->After(v, position_ - 1); },
                        [&](int v) { return std::find(held_.begin(), held_.end(), v) == held_.end(); });
  if (reg < 0) throw Unsupported();
  Evict(reg, file);
  return reg;
}

int Emitter::Temporary() {
  const int reg = Allocate(*vectors_);
  vectors_->Reserve(reg);
  temporaries_.push_back(reg);
  return reg;
}

void Emitter::Evict(int reg, RegisterFile& file) {
  const int value = file.ValueIn(reg);
  Value& state = values_[value];
  if (!Rematerialises(value) && state.slot < 0) {
    if (free_slots_.empty()) free_slots_.push_back(spill_slots_++);
    state.slot = free_slots_.back();
    free_slots_.pop_back();
    if (InMaskFile(value)) kmovw(Slot(state.slot), K(reg));
    else vmovups(Slot(state.slot), Vector(reg));
  }
  state.reg = -1;
  file.Free(reg);
}

Address Emitter::InputAddress(const Node& n, int copy, bool broadcast) {
  const bool wide = LaneBits(n.lane) == 64;
  const Reg64 base = Base(n.a);
  if (graph_.inputs[n.a].splat) return broadcast && evex_ ? ptr_b[base] : ptr[base];
  if (n.lane == Lane::kM32) return ptr[base + index_ + copy * lanes_];
  const int size = wide ? 8 : 4;
  return ptr[base + index_ * size + copy * lanes_ * size + n.imm * lanes_ * 4];
}

// Bytes of 0 and 1 (any not 0 counts) to a mask.
void Emitter::LoadBool(int reg, const Address& bytes, bool splat, bool masked) {
  const int t = Temporary();
  if (evex_) {
    const Xmm x(t);
    if (splat) vpbroadcastb(x, bytes);
    else if (masked) vmovdqu8(x | k7 | T_z, bytes);
    else vmovdqu8(x, bytes);
    vptestmb(K(reg), x, x);
    return;
  }
  if (splat) {
    movzx(eax, byte[bytes.getRegExp()]);
    vmovd(Xmm(reg), eax);
    vpbroadcastd(Ymm(reg), Xmm(reg));
  } else {
    vpmovzxbd(Ymm(reg), bytes);
  }
  vpxor(Ymm(t), Ymm(t), Ymm(t));
  vpcmpgtd(Ymm(reg), Ymm(reg), Ymm(t));
}

void Emitter::LoadInput(int reg, const Node& n, int copy) {
  const bool splat = graph_.inputs[n.a].splat;
  const Address from = InputAddress(n, copy, false);
  if (n.lane == Lane::kM32) return LoadBool(reg, from, splat, masked_);
  const bool wide = LaneBits(n.lane) == 64;
  if (splat) {
    if (wide) evex_ ? vbroadcastsd(Zmm(reg), from) : vbroadcastsd(Ymm(reg), from);
    else evex_ ? vbroadcastss(Zmm(reg), from) : vbroadcastss(Ymm(reg), from);
  } else if (masked_) {
    if (wide) vmovupd(Vector(reg) | (n.imm ? k6 : k7) | T_z, from);
    else vmovups(Vector(reg) | k7 | T_z, from);
  } else {
    vmovups(Vector(reg), from);
  }
}

void Emitter::LoadInto(int reg, int value) {
  const Node& n = NodeOf(value);
  const Value& state = values_[value];
  if (state.slot >= 0) {
    if (InMaskFile(value)) kmovw(K(reg), Slot(state.slot));
    else vmovups(Vector(reg), Slot(state.slot));
  } else if (n.op == Prim::kConst) {
    const int width = LaneBits(n.lane) / 8;
    if (n.bits == 0) {
      if (evex_) vpxord(Vector(reg), Vector(reg), Vector(reg));
      else vpxor(Vector(reg), Vector(reg), Vector(reg));
    } else if (evex_) {
      const Address element = PoolEntry(n.bits, width, false);
      width == 8 ? vbroadcastsd(Zmm(reg), element) : vbroadcastss(Zmm(reg), element);
    } else {
      vmovups(Ymm(reg), PoolEntry(n.bits, width, false));
    }
  } else {
    LoadInput(reg, n, value % unroll_);
  }
}

int Emitter::UseRegister(int value) {
  held_.push_back(value);
  Value& state = values_[value];
  if (state.reg < 0) {
    RegisterFile& file = FileOf(value);
    const int reg = Allocate(file);
    file.Put(reg, value);
    LoadInto(reg, value);
    state.reg = reg;
  }
  return state.reg;
}

// The memory an instruction can read this value from, if it is in none of the registers. A spilled value has its slot; an
// input read more than once goes to a register; under a mask, inputs may end before the vector does.
std::optional<Address> Emitter::InMemory(int value) {
  const Node& n = NodeOf(value);
  const Value& state = values_[value];
  if (state.reg >= 0 || InMaskFile(value)) return std::nullopt;
  if (state.slot >= 0) return Slot(state.slot);
  if (n.op == Prim::kConst) return PoolEntry(n.bits, LaneBits(n.lane) / 8, true);
  const bool splat = graph_.inputs[n.a].splat;
  const bool has_base = n.a < static_cast<int>(bases_.size());  // else the address takes a scratch register
  if (IsMask(n.lane) || !has_base || (splat ? !evex_ : masked_) || !Dies(value)) return std::nullopt;
  return InputAddress(n, value % unroll_, true);
}

Emitter::Source Emitter::UseAnywhere(int value) {
  if (auto address = InMemory(value)) {
    held_.push_back(value);
    return {address, Xmm()};
  }
  return {std::nullopt, Use(value)};
}

void Emitter::ReleaseDying() {
  for (const int value : held_) {
    Value& state = values_[value];
    if (!Dies(value)) continue;
    if (state.reg >= 0) FileOf(value).Free(state.reg);
    state.reg = -1;
    // Its slot may still be read by the instruction at hand, whose own spill must not take it: free it afterwards.
    if (state.slot >= 0) dead_slots_.push_back(state.slot);
    state.slot = -1;
  }
}

int Emitter::Define(int value) {
  RegisterFile& file = FileOf(value);
  const int reg = Allocate(file);
  file.Put(reg, value);
  values_[value].reg = reg;
  return reg;
}

void Emitter::EndNode() {
  ReleaseDying();
  for (const int reg : temporaries_) vectors_->Free(reg);
  temporaries_.clear();
  held_.clear();
  free_slots_.insert(free_slots_.end(), dead_slots_.begin(), dead_slots_.end());
  dead_slots_.clear();
}

// --- Nodes.

template <typename F>
void Emitter::EmitBinary(int value, int a, int b, bool commutes, F instruction) {
  if (commutes && InMemory(a) && !InMemory(b)) std::swap(a, b);
  const Xmm left = Use(a);
  const Source right = UseAnywhere(b);
  ReleaseDying();
  instruction(Vector(Define(value)), left, right.operand());
}

template <typename F>
void Emitter::EmitUnary(int value, int a, F instruction) {
  const Source from = UseAnywhere(a);
  ReleaseDying();
  instruction(Vector(Define(value)), from.operand());
}

#define TANDEM_BY_LANE(f32, f64)                                                                      \
  [&](const Xmm& d, const Xmm& x, const Operand& y) {                                                 \
    if (n.operand == Lane::kF32 || n.operand == Lane::kI32 || n.operand == Lane::kM32) f32(d, x, y);  \
    else f64(d, x, y);                                                                                \
  }

void Emitter::EmitNode(int node, int copy) {
  const Node& n = graph_.nodes[node];
  const int value = ValueOf(node, copy);
  const int a = n.a >= 0 ? ValueOf(n.a, copy) : -1, b = n.b >= 0 ? ValueOf(n.b, copy) : -1, c = n.c >= 0 ? ValueOf(n.c, copy) : -1;
  const bool floats = IsFloat(n.operand), wide = LaneBits(n.operand) == 64;
  switch (n.op) {
    case Prim::kAdd:
      if (floats) EmitBinary(value, a, b, true, TANDEM_BY_LANE(vaddps, vaddpd));
      else EmitBinary(value, a, b, true, TANDEM_BY_LANE(vpaddd, vpaddq));
      break;
    case Prim::kSub:
      if (floats) EmitBinary(value, a, b, false, TANDEM_BY_LANE(vsubps, vsubpd));
      else EmitBinary(value, a, b, false, TANDEM_BY_LANE(vpsubd, vpsubq));
      break;
    case Prim::kMul:
      if (!floats && wide && !evex_) throw Unsupported();
      if (floats) EmitBinary(value, a, b, true, TANDEM_BY_LANE(vmulps, vmulpd));
      else EmitBinary(value, a, b, true, TANDEM_BY_LANE(vpmulld, vpmullq));
      break;
    case Prim::kDiv: EmitBinary(value, a, b, false, TANDEM_BY_LANE(vdivps, vdivpd)); break;
    case Prim::kMin: EmitBinary(value, a, b, false, TANDEM_BY_LANE(vminps, vminpd)); break;
    case Prim::kMax: EmitBinary(value, a, b, false, TANDEM_BY_LANE(vmaxps, vmaxpd)); break;
    case Prim::kScale: EmitBinary(value, a, b, false, TANDEM_BY_LANE(vscalefps, vscalefpd)); break;
    case Prim::kAnd:
      if (evex_) EmitBinary(value, a, b, true, TANDEM_BY_LANE(vpandd, vpandq));
      else EmitBinary(value, a, b, true, TANDEM_BY_LANE(vpand, vpand));
      break;
    case Prim::kOr:
      if (evex_) EmitBinary(value, a, b, true, TANDEM_BY_LANE(vpord, vporq));
      else EmitBinary(value, a, b, true, TANDEM_BY_LANE(vpor, vpor));
      break;
    case Prim::kXor:
      if (evex_) EmitBinary(value, a, b, true, TANDEM_BY_LANE(vpxord, vpxorq));
      else EmitBinary(value, a, b, true, TANDEM_BY_LANE(vpxor, vpxor));
      break;
    case Prim::kAndNot:
      if (evex_) EmitBinary(value, a, b, false, TANDEM_BY_LANE(vpandnd, vpandnq));
      else EmitBinary(value, a, b, false, TANDEM_BY_LANE(vpandn, vpandn));
      break;
    case Prim::kSquareRoot:
      EmitUnary(value, a, [&](const Xmm& d, const Operand& x) { wide ? vsqrtpd(d, x) : vsqrtps(d, x); });
      break;
    case Prim::kRoundNear:
    case Prim::kRoundDown:
    case Prim::kRoundUp: {
      const uint8_t mode = n.op == Prim::kRoundNear ? 8 : n.op == Prim::kRoundDown ? 9 : 10;  // exceptions suppressed
      EmitUnary(value, a, [&](const Xmm& d, const Operand& x) {
        if (evex_) wide ? vrndscalepd(d, x, mode) : vrndscaleps(d, x, mode);
        else wide ? vroundpd(d, x, mode) : vroundps(d, x, mode);
      });
      break;
    }
    case Prim::kShl:
    case Prim::kShr: {
      const Xmm x = Use(a);
      ReleaseDying();
      const Xmm d = Vector(Define(value));
      if (n.op == Prim::kShl) wide ? vpsllq(d, x, n.imm) : vpslld(d, x, n.imm);
      else wide ? vpsrlq(d, x, n.imm) : vpsrld(d, x, n.imm);
      break;
    }
    case Prim::kFma: EmitFma(value, n, copy, false); break;
    case Prim::kFnma: EmitFma(value, n, copy, true); break;
    case Prim::kLt:
    case Prim::kLe:
    case Prim::kEq: EmitCompare(value, n, copy); break;
    case Prim::kMaskAnd:
    case Prim::kMaskOr:
    case Prim::kMaskXor:
    case Prim::kMaskNot:
    case Prim::kMaskAndNot: EmitMaskOp(value, n, copy); break;
    case Prim::kPick: {
      const int mask = UseRegister(a);
      const Source yes = UseAnywhere(b);
      const Xmm no = Use(c);
      ReleaseDying();
      const Xmm d = Vector(Define(value));
      if (evex_) wide ? vblendmpd(d | K(mask), no, yes.operand()) : vblendmps(d | K(mask), no, yes.operand());
      else wide ? vblendvpd(d, no, yes.operand(), Ymm(mask)) : vblendvps(d, no, yes.operand(), Ymm(mask));
      break;
    }
    case Prim::kTruncInt:
    case Prim::kToFloat:
    case Prim::kWidenLow:
    case Prim::kWidenHigh: EmitConversion(value, n, copy); break;
    case Prim::kJoin: EmitJoin(value, n, copy); break;
    case Prim::kCall: EmitCall(value, n, copy); break;
    case Prim::kCallWhere: EmitCallWhere(value, n, copy); break;
    case Prim::kInput:
    case Prim::kConst: break;
  }
  EndNode();
}

// a * b + c, or c - a * b. The instruction overwrites an operand: one that dies, or one that has to be loaded anyway.
void Emitter::EmitFma(int value, const Node& n, int copy, bool negated) {
  const int arg[3] = {ValueOf(n.a, copy), ValueOf(n.b, copy), ValueOf(n.c, copy)};
  const auto dies_here = [&](int v) { return values_[v].reg >= 0 && Dies(v); };
  int d = 2;  // which one is overwritten: the sum, unless a factor is better
  for (const int k : {2, 0, 1}) {
    if (dies_here(arg[k])) {
      d = k;
      break;
    }
    if (k == 1) {
      for (const int j : {0, 1, 2}) {
        if (values_[arg[j]].reg < 0) d = j;
      }
    }
  }
  int other[2], others = 0;  // the rest; memory, if any, last
  for (int k = 0; k < 3; ++k) {
    if (k != d) other[others++] = k;
  }
  if (InMemory(arg[other[0]])) {
    if (!InMemory(arg[other[1]])) std::swap(other[0], other[1]);
  }
  held_.push_back(arg[d]);
  const Xmm near = Use(arg[other[0]]);
  const Source far = UseAnywhere(arg[other[1]]);
  int reg = values_[arg[d]].reg;
  if (reg >= 0 && Dies(arg[d])) {
    ReleaseDying();
    vectors_->Put(reg, value);
    values_[value].reg = reg;
  } else if (reg >= 0) {
    const Xmm from = Vector(reg);
    reg = Define(value);  // no source's register, dying or not: it is written before they are read
    vmovaps(Vector(reg), from);
  } else {
    // Loaded into a register of its own, which none of the sources may be; its slot stays until the node ends.
    reg = Allocate(*vectors_);
    vectors_->Put(reg, value);
    LoadInto(reg, arg[d]);
    values_[value].reg = reg;
  }
  const Xmm dest = Vector(reg);
  const bool wide = LaneBits(n.lane) == 64;
  const Operand& last = far.operand();
  if (d == 2) {  // dest = near * last + dest
    if (negated) wide ? vfnmadd231pd(dest, near, last) : vfnmadd231ps(dest, near, last);
    else wide ? vfmadd231pd(dest, near, last) : vfmadd231ps(dest, near, last);
  } else if (other[1] == 2) {  // dest = near * dest + last
    if (negated) wide ? vfnmadd213pd(dest, near, last) : vfnmadd213ps(dest, near, last);
    else wide ? vfmadd213pd(dest, near, last) : vfmadd213ps(dest, near, last);
  } else {  // dest = dest * last + near
    if (negated) wide ? vfnmadd132pd(dest, near, last) : vfnmadd132ps(dest, near, last);
    else wide ? vfmadd132pd(dest, near, last) : vfmadd132ps(dest, near, last);
  }
}

void Emitter::EmitCompare(int value, const Node& n, int copy) {
  int a = ValueOf(n.a, copy), b = ValueOf(n.b, copy);
  const bool floats = IsFloat(n.operand), wide = LaneBits(n.operand) == 64;
  const bool swap = InMemory(a) && !InMemory(b);
  if (!evex_ && !floats && n.op == Prim::kLt) {  // b > a is what there is
    const Xmm right = Use(b);
    const Source left = UseAnywhere(a);
    ReleaseDying();
    const Ymm d(Define(value));
    wide ? vpcmpgtq(d, Ymm(right.getIdx()), left.operand()) : vpcmpgtd(d, Ymm(right.getIdx()), left.operand());
    return;
  }
  if (swap && (floats || n.op == Prim::kEq)) std::swap(a, b);
  const bool swapped = swap && floats;
  const Xmm left = Use(a);
  const Source right = UseAnywhere(b);
  ReleaseDying();
  const int d = Define(value);
  if (floats) {
    const uint8_t predicate = n.op == Prim::kEq ? kEqual : n.op == Prim::kLt ? (swapped ? kGreater : kLess) : (swapped ? kGreaterEqual : kLessEqual);
    if (evex_) wide ? vcmppd(K(d), left, right.operand(), predicate) : vcmpps(K(d), left, right.operand(), predicate);
    else wide ? vcmppd(Ymm(d), left, right.operand(), predicate) : vcmpps(Ymm(d), left, right.operand(), predicate);
  } else if (evex_) {
    const uint8_t predicate = n.op == Prim::kEq ? 0 : 1;
    wide ? vpcmpq(K(d), left, right.operand(), predicate) : vpcmpd(K(d), left, right.operand(), predicate);
  } else {
    wide ? vpcmpeqq(Ymm(d), left, right.operand()) : vpcmpeqd(Ymm(d), left, right.operand());
  }
}

void Emitter::EmitMaskOp(int value, const Node& n, int copy) {
  const int x = UseRegister(ValueOf(n.a, copy));
  const int y = n.b >= 0 ? UseRegister(ValueOf(n.b, copy)) : x;
  ReleaseDying();
  const int d = Define(value);
  switch (n.op) {
    case Prim::kMaskAnd: evex_ ? kandw(K(d), K(x), K(y)) : vpand(Ymm(d), Ymm(x), Ymm(y)); break;
    case Prim::kMaskOr: evex_ ? korw(K(d), K(x), K(y)) : vpor(Ymm(d), Ymm(x), Ymm(y)); break;
    case Prim::kMaskXor: evex_ ? kxorw(K(d), K(x), K(y)) : vpxor(Ymm(d), Ymm(x), Ymm(y)); break;
    case Prim::kMaskAndNot: evex_ ? kandnw(K(d), K(x), K(y)) : vpandn(Ymm(d), Ymm(x), Ymm(y)); break;
    default:
      if (evex_) knotw(K(d), K(x));
      else vpxor(Ymm(d), Ymm(x), PoolEntry(0xffffffff, 4, false));
  }
}

void Emitter::EmitConversion(int value, const Node& n, int copy) {
  const int from = UseRegister(ValueOf(n.a, copy));
  ReleaseDying();
  const int d = Define(value);
  const bool wide = LaneBits(n.operand) == 64, high = n.op == Prim::kWidenHigh;
  if (n.op == Prim::kTruncInt) {
    if (wide && !evex_) throw Unsupported();
    wide ? vcvttpd2qq(Zmm(d), Zmm(from)) : vcvttps2dq(Vector(d), Vector(from));
  } else if (n.op == Prim::kToFloat) {
    if (wide && !evex_) throw Unsupported();
    wide ? vcvtqq2pd(Zmm(d), Zmm(from)) : vcvtdq2ps(Vector(d), Vector(from));
  } else if (evex_ && IsMask(n.operand)) {
    high ? kshiftrw(K(d), K(from), 8) : kmovw(K(d), K(from));
  } else {
    int half = from;
    if (high) {
      evex_ ? vextractf64x4(Ymm(d), Zmm(from), 1) : vextractf128(Xmm(d), Ymm(from), 1);
      half = d;
    }
    const Xmm narrow = evex_ ? Xmm(Ymm(half)) : Xmm(half);
    if (n.operand == Lane::kF32) vcvtps2pd(Vector(d), narrow);
    else if (n.lane == Lane::kF64) vcvtdq2pd(Vector(d), narrow);
    else vpmovsxdq(Vector(d), narrow);
  }
}

void Emitter::EmitJoin(int value, const Node& n, int copy) {
  const int low = UseRegister(ValueOf(n.a, copy)), high = UseRegister(ValueOf(n.b, copy));
  if (evex_ && IsMask(n.lane)) {
    ReleaseDying();
    kunpckbw(K(Define(value)), K(high), K(low));
    return;
  }
  const int t = Temporary();
  ReleaseDying();
  const int d = Define(value);
  if (!evex_ && n.operand != Lane::kF64) {
    if (n.lane == Lane::kF32) throw Unsupported();
    vshufps(Ymm(d), Ymm(low), Ymm(high), 0x88);  // even words; quadwords then stand low, high, low, high
    vpermq(Ymm(d), Ymm(d), 0xD8);
    return;
  }
  const auto narrow = [&](int to, int from) {
    if (n.operand == Lane::kF64) {
      if (n.lane == Lane::kF32) evex_ ? vcvtpd2ps(Ymm(to), Zmm(from)) : vcvtpd2ps(Xmm(to), Ymm(from));
      else evex_ ? vcvttpd2dq(Ymm(to), Zmm(from)) : vcvttpd2dq(Xmm(to), Ymm(from));
    } else if (n.lane == Lane::kF32) {
      vcvtqq2ps(Ymm(to), Zmm(from));
    } else {
      vpmovqd(Ymm(to), Zmm(from));
    }
  };
  narrow(t, high);
  narrow(d, low);
  evex_ ? vinsertf64x4(Zmm(d), Zmm(d), Ymm(t), 1) : vinsertf128(Ymm(d), Ymm(d), Xmm(t), 1);
}

// Calls with the operands at kCallA and kCallB; keeps the registers named.
void Emitter::CallOut(const Node& n, const std::vector<int>& vectors, const std::vector<int>& masks) {
  for (const int reg : vectors) vmovups(ptr[rsp + kSaveVectors + reg * 64], Vector(reg));
  for (const int reg : masks) kmovw(ptr[rsp + kSaveMasks + reg * 8], K(reg));
  const bool wide = LaneBits(n.lane) == 64;
  mov(edi, n.imm);
  lea(rsi, ptr[rsp + kCallA]);
  lea(rdx, ptr[rsp + kCallB]);
  lea(rcx, ptr[rsp + kCallOut]);
  mov(r8d, wide ? lanes_ / 2 : lanes_);
  mov(r9d, wide ? 1 : 0);
  mov(rax, reinterpret_cast<uint64_t>(&CallFromCode));
  vzeroupper();
  call(rax);
  LoadPointers();
  for (const int reg : vectors) vmovups(Vector(reg), ptr[rsp + kSaveVectors + reg * 64]);
  for (const int reg : masks) kmovw(K(reg), ptr[rsp + kSaveMasks + reg * 8]);
}

namespace {

std::vector<int> Occupied(const RegisterFile& file) {
  std::vector<int> regs;
  for (int reg = file.first(); reg < file.first() + file.size(); ++reg) {
    if (file.ValueIn(reg) >= 0) regs.push_back(reg);
  }
  return regs;
}

}  // namespace

void Emitter::EmitCall(int value, const Node& n, int copy) {
  vmovups(ptr[rsp + kCallA], Use(ValueOf(n.a, copy)));
  vmovups(ptr[rsp + kCallB], Use(ValueOf(n.b, copy)));
  ReleaseDying();
  std::vector<int> masks = evex_ ? Occupied(*masks_) : std::vector<int>();
  if (masked_) masks.insert(masks.end(), {6, 7});
  CallOut(n, Occupied(*vectors_), masks);
  vmovups(Vector(Define(value)), ptr[rsp + kCallOut]);
}

// The common case, no lane set, costs a test; the call is out of line.
void Emitter::EmitCallWhere(int value, const Node& n, int copy) {
  const int where = UseRegister(ValueOf(n.a, copy)), argument = UseRegister(ValueOf(n.b, copy)), fast = UseRegister(ValueOf(n.c, copy));
  const int d = Define(value);
  vmovaps(Vector(d), Vector(fast));
  const bool wide = LaneBits(n.lane) == 64;
  Label cold, back;
  if (evex_) {
    wide ? kortestb(K(where), K(where)) : kortestw(K(where), K(where));
  } else {
    wide ? vmovmskpd(eax, Ymm(where)) : vmovmskps(eax, Ymm(where));
    test(eax, eax);
  }
  jnz(cold, T_NEAR);
  L(back);
  std::vector<int> masks = evex_ ? Occupied(*masks_) : std::vector<int>();
  if (masked_) masks.insert(masks.end(), {6, 7});
  cold_.push_back([this, cold, back, d, where, argument, wide, n, vectors = Occupied(*vectors_), masks]() mutable {
    L(cold);
    vmovups(ptr[rsp + kCallA], Vector(argument));
    vmovups(ptr[rsp + kCallB], Vector(argument));
    CallOut(n, vectors, masks);
    if (evex_) wide ? vmovupd(Vector(d) | K(where), ptr[rsp + kCallOut]) : vmovups(Vector(d) | K(where), ptr[rsp + kCallOut]);
    else wide ? vblendvpd(Ymm(d), Ymm(d), ptr[rsp + kCallOut], Ymm(where)) : vblendvps(Ymm(d), Ymm(d), ptr[rsp + kCallOut], Ymm(where));
    jmp(back, T_NEAR);
  });
}

void Emitter::EmitStore(int output, int copy) {
  const GraphOutput& o = graph_.outputs[output];
  const int low = UseRegister(ValueOf(o.low, copy)), high = o.high >= 0 ? UseRegister(ValueOf(o.high, copy)) : -1;
  const Reg64 base = Base(static_cast<int>(graph_.inputs.size()) + output);
  if (o.type == VecType::kBool) {
    const Xmm t(Temporary());
    const Address to = ptr[base + index_ + copy * lanes_];
    if (evex_) {
      vpmovm2b(t, K(low));
      vpabsb(t, t);
      masked_ ? vmovdqu8(to | k7, t) : vmovdqu8(to, t);
    } else {
      vextracti128(t, Ymm(low), 1);
      vpackssdw(t, Xmm(low), t);
      vpacksswb(t, t, t);
      vpabsb(t, t);
      vmovq(to, t);
    }
  } else if (high < 0) {
    const Address to = ptr[base + index_ * 4 + copy * lanes_ * 4];
    masked_ ? vmovups(to | k7, Vector(low)) : vmovups(to, Vector(low));
  } else {
    const Address to = ptr[base + index_ * 8 + copy * lanes_ * 8], to_high = ptr[base + index_ * 8 + copy * lanes_ * 8 + lanes_ * 4];
    masked_ ? vmovupd(to | k7, Vector(low)) : vmovupd(to, Vector(low));
    masked_ ? vmovupd(to_high | k6, Vector(high)) : vmovupd(to_high, Vector(high));
  }
  EndNode();
}

}  // namespace tandem::vec
