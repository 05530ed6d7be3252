// A typed program of elementwise functions, run as one loop.
//
//   Program p;
//   const int x = p.Input(VecType::kF32), bias = p.Input(VecType::kF32);
//   p.Output(p.Apply(VecOp::kTanh, {p.Apply(VecOp::kAdd, {x, bias})}));
//   std::shared_ptr<const CompiledProgram> code = Compile(p);
//   code->Run(in, outs, rows, cols);              // in: x {.., cols, 1}, bias {.., 0, 1}
//
// Compile emits machine code for AVX2 or AVX-512; an interpreter over tiles runs what the emitter does not cover, other
// machines, and everything under TANDEM_JIT=0. All give the bits of the kernels of elementwise.h applied one by one.
#pragma once
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/vector/elementwise.h"
#include "kernels/vector/reduce.h"

namespace tandem {

// Values are numbered in the order they are made. A value that cannot be (no kernel for the types, an unknown operand)
// is -1, and a program that was asked for one is not valid().
class Program {
 public:
  struct Value {
    enum Kind : uint8_t { kInput, kConstant, kApply } kind;
    VecType type;                 // of the value
    VecOp op = VecOp::kCast;      // kApply
    VecType operand_type{};       // kApply: of the data operands; kCast: what is cast
    bool splat = false;           // kInput: one element serves each row
    int args[3] = {-1, -1, -1};
    float param = 0;              // LeakyRelu's alpha
    uint64_t bits = 0;            // kConstant: the value's bytes, low first
    int input = 0;                // kInput: position among the inputs
  };

  static constexpr int kMaxOperands = 256;  // inputs, and as many outputs; beyond, a program is not valid

  // splat: the operand has col_stride 0 (a scalar, a column); otherwise 1 (dense, or a row repeated by row_stride 0).
  int Input(VecType type, bool splat = false);
  int Constant(float value);
  int Constant(double value);
  int Constant(int32_t value);
  int Constant(int64_t value);
  int Constant(bool value);
  int Apply(VecOp op, std::initializer_list<int> args, float param = 0);
  int Cast(int value, VecType to);
  void Output(int value);
  // One element a row: the row reduced by the tree of reduce.h, with the bits of Reduce over the value. Sum, Prod, Max,
  // Min, SumSquares and Mean of numbers (no Mean of int32), All and Any of bool.
  void ReducedOutput(int value, ReduceOp op);

  bool valid() const { return valid_; }
  int num_inputs() const { return num_inputs_; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<int>& outputs() const { return outputs_; }
  // Of each output: the reduction that closes it, if any.
  const std::vector<std::optional<ReduceOp>>& reductions() const { return reductions_; }

  // A byte string that is equal for equal programs; Decode refuses what Encode cannot have made.
  std::string Encode() const;
  static std::optional<Program> Decode(const std::string& bytes);

 private:
  int Add(Value value);

  std::vector<Value> values_;
  std::vector<int> outputs_;
  std::vector<std::optional<ReduceOp>> reductions_;
  int num_inputs_ = 0;
  bool valid_ = true;
};

// Immutable; Run may be called from any number of threads and allocates nothing once warm (the interpreter and reductions
// keep a buffer per thread).
class CompiledProgram {
 public:
  virtual ~CompiledProgram() = default;
  // in[k]: input k, outs[k]: dense [rows, cols] of output k's type, [rows] if reduced. An output may be exactly the memory
  // of a dense input of the same element size, unless the input is an output itself or one is reduced. Operands may be any rows of larger arrays, so callers split rows freely, and columns unless a
  // reduction closes one.
  virtual void Run(const Operand2D* in, void* const* outs, int64_t rows, int64_t cols) const = 0;
  virtual bool emitted() const = 0;  // machine code, not interpreted
  virtual int64_t code_bytes() const = 0;
};

// Cached for the process by the program's encoding; null if the program is not valid. Any thread.
std::shared_ptr<const CompiledProgram> Compile(const Program& program);

}  // namespace tandem
