// The emitter itself; emitter.cc makes the frame and the loops, emitter_nodes.cc the instructions of each node.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/vector/emitter.h"
#include "kernels/vector/registers.h"

#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

namespace tandem::vec {

using Xbyak::Address;
using Xbyak::Label;
using Xbyak::Opmask;
using Xbyak::Operand;
using Xbyak::Reg64;
using Xbyak::RegExp;
using Xbyak::Xmm;
using Xbyak::Ymm;
using Xbyak::Zmm;

inline constexpr size_t kMaxCodeBytes = 512 * 1024;
inline constexpr int kSlotBytes = 64;

// Where this thread assembles; the bytes are copied out.
uint8_t* ScratchCode();

struct Unsupported {};  // thrown by the emitter to give up

class Emitter : public Xbyak::CodeGenerator {
 public:
  Emitter(const PrimitiveGraph& graph, Isa isa)
      : CodeGenerator(kMaxCodeBytes, ScratchCode()), graph_(graph), evex_(isa == Isa::kAvx512), lanes_(evex_ ? 16 : 8),
        args_(rbx), index_(r12), columns_(r13) {}

  std::vector<uint8_t> Run();

 private:
  // --- The frame (emitter.cc) and what memory holds.
  void Prologue();
  void Epilogue();
  void LoadPointers();
  void RowLoop();
  void EmitPool();
  Address PoolEntry(uint64_t bits, int width, bool broadcast);  // broadcast: as an operand of AVX-512
  Reg64 Base(int operand);
  int FrameBytes() const { return kSpillArea + spill_slots_ * kSlotBytes; }

  // Stack: two arguments and the result of a lane call, saved registers, spill slots.
  static constexpr int kCallA = 0, kCallB = 64, kCallOut = 128, kSaveVectors = 192, kSaveMasks = kSaveVectors + 32 * 64, kSpillArea = kSaveMasks + 8 * 8;
  static_assert(kSpillArea % 64 == 0);

  // --- One body: `unroll` copies of the program, interleaved node by node; `masked`: loads and stores under k7.
  void Body(int unroll, bool masked);
  void ChooseUnroll();
  void PinInvariants();
  void EmitNode(int node, int copy);
  void EmitStore(int output, int copy);
  void EmitFma(int value, const Node& n, int copy, bool negated);
  void EmitCompare(int value, const Node& n, int copy);
  void EmitMaskOp(int value, const Node& n, int copy);
  void EmitConversion(int value, const Node& n, int copy);
  void EmitJoin(int value, const Node& n, int copy);
  void EmitCall(int value, const Node& n, int copy);
  void EmitCallWhere(int value, const Node& n, int copy);
  void CallOut(const Node& n, const std::vector<int>& vectors, const std::vector<int>& masks);
  template <typename F> void EmitBinary(int value, int a, int b, bool commutes, F instruction);
  template <typename F> void EmitUnary(int value, int a, F instruction);

  // --- Values of a body: node * unroll + copy; constants and splats have copy 0 only.
  struct Value {
    int reg = -1;
    int slot = -1;
  };
  struct Source {
    std::optional<Address> address;
    Xmm reg;
    const Operand& operand() const { return address ? static_cast<const Operand&>(*address) : reg; }
  };
  int ValueOf(int node, int copy) const {
    const Node& n = graph_.nodes[node];
    const bool shared = n.op == Prim::kConst || (n.op == Prim::kInput && graph_.inputs[n.a].splat);
    return node * unroll_ + (shared ? 0 : copy);
  }
  const Node& NodeOf(int value) const { return graph_.nodes[value / unroll_]; }
  bool InMaskFile(int value) const { return evex_ && IsMask(NodeOf(value).lane); }
  RegisterFile& FileOf(int value) { return InMaskFile(value) ? *masks_ : *vectors_; }
  bool Rematerialises(int value) const { return NodeOf(value).op == Prim::kConst || NodeOf(value).op == Prim::kInput; }
  bool Pinned(int value) const { return !pins_.empty() && pins_[value / unroll_] >= 0; }
  bool Dies(int value) { return !Pinned(value) && uses_->After(value, position_) == Uses::kNever; }
  Xmm Vector(int reg) const { return evex_ ? Xmm(Zmm(reg)) : Xmm(Ymm(reg)); }
  static Opmask K(int reg) { return Opmask(reg); }

  int Allocate(RegisterFile& file);
  int Temporary();
  void Evict(int reg, RegisterFile& file);
  void LoadInto(int reg, int value);
  int UseRegister(int value);             // in a register, kept there to the end of this node
  Xmm Use(int value) { return Vector(UseRegister(value)); }
  Opmask UseMask(int value) { return K(UseRegister(value)); }
  Source UseAnywhere(int value);          // memory allowed
  std::optional<Address> InMemory(int value);
  int Define(int value);                  // after the operands: may be the register of one that dies
  void ReleaseDying();
  void EndNode();
  Address InputAddress(const Node& n, int copy, bool broadcast);
  void LoadInput(int reg, const Node& n, int copy);
  void LoadBool(int reg, const Address& bytes, bool splat, bool masked);
  Address Slot(int slot) { return ptr[rsp + kSpillArea + slot * kSlotBytes]; }

  const PrimitiveGraph& graph_;
  const bool evex_;
  const int lanes_;
  const Reg64 args_, index_, columns_;
  std::vector<Reg64> bases_;

  int most_unroll_ = 1;                   // of the main loop
  int most_live_ = 1;                     // values of one copy that are in vector registers at once
  std::vector<int> pins_;                 // by node: the register that holds it for all columns, or -1; empty: none at all
  int unroll_ = 1;
  bool masked_ = false;
  int position_ = 0;
  std::vector<Value> values_;
  std::optional<Uses> uses_;
  std::optional<RegisterFile> vectors_, masks_;
  std::vector<int> held_;                 // operands of the node at hand
  std::vector<int> temporaries_;
  std::vector<int> free_slots_, dead_slots_;
  int spill_slots_ = 0;

  struct Constant {
    uint64_t bits;
    int width;                            // 4 or 8 bytes
    Label label;
  };
  std::deque<Constant> pool_;             // addresses point at labels, which must not move
  std::vector<std::function<void()>> cold_;  // code out of line, after the body
  size_t frame_size_at_ = 0;

};

}  // namespace tandem::vec
