// What a tape keeps of one op, and the arena that records lie in.
//
// A record and its arrays are one piece of arena memory: the tensors it holds references to (inputs, then outputs; null
// where the gradient does not read the value), dtype and shape of those, the values its inputs stand for.
#pragma once
#include <deque>
#include <span>

#include "core/context.h"
#include "core/gradient.h"

namespace tandem {

// The low half of a tensor's tape mark: a value of the tape; with kCutBit, one that no gradient can pass, kept so that
// Explain can say where the path ended.
inline constexpr uint32_t kCutBit = 0x80000000u;
inline constexpr int32_t kNoValue = -1;

struct TapeRecord {
  TapeRecord* previous;
  OpId op;                 // kInvalid for a custom gradient
  bool cut;                // no gradient passes
  uint32_t blocked;        // bit i: its gradient function gave nothing for input i, which was asked for (from 31 on: one bit)
  int32_t num_inputs;
  int32_t num_outputs;
  int32_t first_output;    // outputs are consecutive values
  int32_t custom;          // index of the custom gradient; -1: the op's own
  int32_t num_attrs;
  Origin origin;
  AttrRef* attrs;
  // Behind the header: tensors [num_inputs + num_outputs], undefined where not kept; infos [the same], set where a
  // tensor is not kept; input values [num_inputs], negative (kCutBit, kNoValue) where no gradient can flow.

  static size_t Bytes(int num_inputs, int num_outputs) {
    return sizeof(TapeRecord) + (num_inputs + num_outputs) * (sizeof(Tensor) + sizeof(TensorInfo)) + num_inputs * sizeof(int32_t);
  }
  static uint32_t InputBit(int i) { return uint32_t{1} << (i < 31 ? i : 31); }
  int size() const { return num_inputs + num_outputs; }
  Tensor* tensors() { return reinterpret_cast<Tensor*>(this + 1); }
  TensorInfo* infos() { return reinterpret_cast<TensorInfo*>(tensors() + size()); }
  int32_t* input_values() { return reinterpret_cast<int32_t*>(infos() + size()); }
  const Tensor* tensors() const { return const_cast<TapeRecord*>(this)->tensors(); }
  const TensorInfo* infos() const { return const_cast<TapeRecord*>(this)->infos(); }
  std::span<const Tensor> inputs() const { return {tensors(), static_cast<size_t>(num_inputs)}; }
  std::span<const Tensor> outputs() const { return {tensors() + num_inputs, static_cast<size_t>(num_outputs)}; }
  std::span<const int32_t> values() const { return {const_cast<TapeRecord*>(this)->input_values(), static_cast<size_t>(num_inputs)}; }
  // Lets go of the tensors. The rest stays, for Explain.
  void Release() {
    for (int i = 0; i < size(); ++i)
      if (TensorRep* rep = tensors()[i].release()) Unref(rep);
  }
};

// Memory for records, from the tensor allocator: a warm tape makes no call to the system's.
class TapeArena {
 public:
  TapeArena() = default;
  TapeArena(const TapeArena&) = delete;
  TapeArena& operator=(const TapeArena&) = delete;
  ~TapeArena() { Clear(); }

  // 8-byte aligned; null without memory.
  void* Allocate(size_t bytes) {
    bytes = (bytes + 7) & ~size_t{7};
    if (bytes > static_cast<size_t>(end_ - next_)) [[unlikely]] return AllocateSlow(bytes);
    return std::exchange(next_, next_ + bytes);
  }
  // The attributes as refs that outlive the call: lists and text are copied. Null without memory.
  AttrRef* Copy(std::span<const AttrRef> attrs);
  void Clear();

 private:
  struct Chunk {
    Chunk* previous;
    unsigned size_class;
  };
  void* AllocateSlow(size_t bytes);
  AttrRef Keep(const AttrRef& attr);

  Chunk* chunk_ = nullptr;
  char* next_ = nullptr;
  char* end_ = nullptr;
  std::deque<AttrValue>* owned_attrs_ = nullptr;  // rare, so made when needed
};

}  // namespace tandem
