#include "kernels/vector/emitter.h"

#include <algorithm>

#include "kernels/vector/emitter_impl.h"

namespace tandem::vec {

constexpr int kMaxNodes = 20000;

uint8_t* ScratchCode() {
  thread_local std::vector<uint8_t> buffer(kMaxCodeBytes);
  return buffer.data();
}

// --- Frame.

void Emitter::Prologue() {
  push(rbp);
  mov(rbp, rsp);
  for (const Reg64& reg : {rbx, r12, r13, r14, r15}) push(reg);
  and_(rsp, -64);
  for (const uint8_t byte : {0x48, 0x81, 0xEC}) db(byte);  // sub rsp, imm32: known when the bodies are done
  frame_size_at_ = getSize();
  dd(0);
  mov(args_, rdi);
  for (const Reg64& reg : {rdx, rsi, rdi, r8, r9, r10, r11, r14, r15}) bases_.push_back(reg);
}

void Emitter::Epilogue() {
  vzeroupper();
  lea(rsp, ptr[rbp - 40]);
  for (const Reg64& reg : {r15, r14, r13, r12, rbx}) pop(reg);
  pop(rbp);
  ret();
}

void Emitter::LoadPointers() {
  const size_t operands = graph_.inputs.size() + graph_.outputs.size();
  for (size_t k = 0; k < std::min(operands, bases_.size()); ++k) {
    mov(bases_[k], ptr[args_ + offsetof(CodeArgs, pointer) + 8 * k]);
  }
}

Reg64 Emitter::Base(int operand) {
  if (operand < static_cast<int>(bases_.size())) return bases_[operand];
  mov(rax, ptr[args_ + offsetof(CodeArgs, pointer) + 8 * operand]);
  return rax;
}

Address Emitter::PoolEntry(uint64_t bits, int width, bool broadcast) {
  auto found = std::find_if(pool_.begin(), pool_.end(), [&](const Constant& c) { return c.bits == bits && c.width == width; });
  if (found == pool_.end()) {
    pool_.push_back({bits, width, Label()});
    found = pool_.end() - 1;
  }
  return evex_ && broadcast ? ptr_b[rip + found->label] : ptr[rip + found->label];
}

// AVX-512 broadcasts an element as it reads it; AVX2 reads 32 bytes.
void Emitter::EmitPool() {
  align(64, false);
  for (const int width : {8, 4}) {
    for (Constant& c : pool_) {
      if (c.width != width) continue;
      L(c.label);
      for (int i = 0; i < (evex_ ? 1 : 32 / width); ++i) width == 4 ? dd(static_cast<uint32_t>(c.bits)) : dq(c.bits);
    }
  }
}

void Emitter::RowLoop() {
  Label row, main, single, tail, end;
  ChooseUnroll();
  const int unroll = most_unroll_;
  L(row);
  LoadPointers();
  PinInvariants();
  mov(columns_, ptr[args_ + offsetof(CodeArgs, cols)]);
  xor_(index_, index_);

  const auto loop = [&](Label& top, Label& after, int copies) {
    lea(rax, ptr[columns_ - copies * lanes_]);
    cmp(index_, rax);
    jg(after, T_NEAR);
    align(32);
    L(top);
    Body(copies, false);
    add(index_, copies * lanes_);
    lea(rax, ptr[columns_ - copies * lanes_]);
    cmp(index_, rax);
    jle(top, T_NEAR);
    L(after);
  };
  if (unroll > 1 || evex_) loop(main, single, unroll);
  if (evex_) {
    L(tail);
    mov(rax, columns_);
    sub(rax, index_);
    jle(end, T_NEAR);
    mov(ecx, -1);
    bzhi(ecx, ecx, eax);  // fewer than unroll * 16 are left
    kmovd(k7, ecx);
    kshiftrw(k6, k7, 8);
    Body(1, true);
    add(index_, lanes_);
    jmp(tail, T_NEAR);
  } else {
    Label top;
    loop(top, end, 1);
  }
  if (evex_) L(end);

  for (size_t k = 0; k < graph_.inputs.size() + graph_.outputs.size(); ++k) {
    mov(rax, ptr[args_ + offsetof(CodeArgs, row_bytes) + 8 * k]);
    add(ptr[args_ + offsetof(CodeArgs, pointer) + 8 * k], rax);
  }
  dec(qword[args_ + offsetof(CodeArgs, rows)]);
  jnz(row, T_NEAR);
}

// The most copies whose live values fit the registers; short programs need several to hide latencies.
void Emitter::ChooseUnroll() {
  const int n = static_cast<int>(graph_.nodes.size());
  std::vector<int> last(n, -1), count(n, 0);
  const auto use = [&](int arg, int at) {
    if (arg < 0) return;
    last[arg] = at;
    ++count[arg];
  };
  for (int i = 0; i < n; ++i) {
    const Node& node = graph_.nodes[i];
    if (node.op == Prim::kCall) return;
    if (node.op != Prim::kInput) use(node.a, i);
    use(node.b, i);
    use(node.c, i);
  }
  for (const GraphOutput& output : graph_.outputs) {
    use(output.low, n);
    use(output.high, n);
  }
  std::vector<int> dying(n + 1, 0), dying_masks(n + 1, 0);
  int live = 0, live_masks = 0, most = 1, most_masks = 0;
  for (int i = 0; i < n; ++i) {
    const Node& node = graph_.nodes[i];
    const bool in_register = node.op != Prim::kConst && !(node.op == Prim::kInput && count[i] < 2);
    const bool mask = evex_ && IsMask(node.lane);
    live -= dying[i];
    live_masks -= dying_masks[i];
    if (in_register && last[i] >= 0) {
      ++(mask ? live_masks : live);
      ++(mask ? dying_masks : dying)[last[i]];
    }
    most = std::max(most, live);
    most_masks = std::max(most_masks, live_masks);
  }
  most_live_ = most;
  for (const int unroll : {4, 2}) {
    if (unroll * most + 3 <= (evex_ ? 32 : 16) && unroll * most_masks <= 5 && unroll * n <= 2000) {
      most_unroll_ = unroll;
      return;
    }
  }
}

// What stays the same along a row goes to the registers that the bodies leave over. Calls save what is live, so a program
// with calls pins nothing.
void Emitter::PinInvariants() {
  const int n = static_cast<int>(graph_.nodes.size());
  for (const Node& node : graph_.nodes)
    if (node.op == Prim::kCall || node.op == Prim::kCallWhere) return;
  constexpr int kSpare = 4;  // temporaries, and what an instruction reads from memory
  int reg = evex_ ? 32 : 16;
  const int first = std::min(reg, most_unroll_ * most_live_ + kSpare);
  unroll_ = 1;
  masked_ = false;
  values_.assign(n, Value());
  std::vector<int> pins(n, -1);
  for (int i = 0; i < n && reg > first; ++i) {
    const Node& node = graph_.nodes[i];
    if (IsMask(node.lane) || !(node.op == Prim::kConst || (node.op == Prim::kInput && graph_.inputs[node.a].splat))) continue;
    pins[i] = --reg;
    LoadInto(reg, i);
  }
  pins_ = std::move(pins);
}

void Emitter::Body(int unroll, bool masked) {
  unroll_ = unroll;
  masked_ = masked;
  const int n = static_cast<int>(graph_.nodes.size());
  values_.assign(n * unroll, Value());
  vectors_.emplace(0, evex_ ? 32 : 16);
  masks_.emplace(1, 5);
  for (size_t i = 0; i < pins_.size(); ++i) {
    if (pins_[i] < 0) continue;
    values_[i * unroll].reg = pins_[i];
    vectors_->Reserve(pins_[i]);
  }
  free_slots_.clear();
  dead_slots_.clear();
  for (int s = spill_slots_ - 1; s >= 0; --s) free_slots_.push_back(s);

  uses_.emplace(n * unroll);
  for (const bool counting : {true, false}) {
    int position = 0;
    const auto use = [&](int arg, int copy) {
      if (arg < 0) return;
      if (counting) uses_->Count(ValueOf(arg, copy));
      else uses_->Add(ValueOf(arg, copy), position);
    };
    for (int i = 0; i < n; ++i) {
      const Node& node = graph_.nodes[i];
      if (node.op == Prim::kInput || node.op == Prim::kConst) continue;
      for (int copy = 0; copy < unroll; ++copy, ++position) {
        for (const int arg : {node.a, node.b, node.c}) use(arg, copy);
      }
    }
    for (const GraphOutput& output : graph_.outputs) {
      for (int copy = 0; copy < unroll; ++copy, ++position) {
        use(output.low, copy);
        use(output.high, copy);
      }
    }
    if (counting) uses_->Seal();
    else uses_->Rewind();
  }

  position_ = 0;
  for (int i = 0; i < n; ++i) {
    if (graph_.nodes[i].op == Prim::kInput || graph_.nodes[i].op == Prim::kConst) continue;
    for (int copy = 0; copy < unroll; ++copy, ++position_) EmitNode(i, copy);
  }
  // Stores last: an output may be the memory of an input that some node still reads.
  for (size_t o = 0; o < graph_.outputs.size(); ++o) {
    for (int copy = 0; copy < unroll; ++copy, ++position_) EmitStore(static_cast<int>(o), copy);
  }
}

std::vector<uint8_t> Emitter::Run() {
  Prologue();
  RowLoop();
  Epilogue();
  for (size_t i = 0; i < cold_.size(); ++i) cold_[i]();
  EmitPool();
  const uint32_t frame = FrameBytes();
  rewrite(frame_size_at_, frame, 4);
  ready();
  return std::vector<uint8_t>(getCode(), getCode() + getSize());
}

std::vector<uint8_t> EmitProgram(const PrimitiveGraph& graph, Isa isa) {
  if (isa == Isa::kBaseline || graph.nodes.size() > kMaxNodes) return {};
  if (graph.inputs.size() + graph.outputs.size() > kMaxCodeOperands || graph.outputs.empty()) return {};
  try {
    return Emitter(graph, isa).Run();
  } catch (const Unsupported&) {
    return {};
  } catch (const Xbyak::Error&) {
    return {};  // too long
  }
}

}  // namespace tandem::vec
