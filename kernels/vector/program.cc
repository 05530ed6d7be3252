#include "kernels/vector/program.h"

#include <cstring>

namespace tandem {
namespace {

template <typename T>
uint64_t BitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

constexpr int kMaxValues = 4096;

}  // namespace

int Program::Add(Value value) {
  if (values_.size() >= kMaxValues) valid_ = false;
  if (!valid_) return -1;
  values_.push_back(value);
  return static_cast<int>(values_.size()) - 1;
}

int Program::Input(VecType type, bool splat) {
  valid_ = valid_ && num_inputs_ < kMaxOperands;
  return Add({.kind = Value::kInput, .type = type, .splat = splat, .input = num_inputs_++});
}

int Program::Constant(float value) { return Add({.kind = Value::kConstant, .type = VecType::kF32, .bits = BitsOf(value)}); }
int Program::Constant(double value) { return Add({.kind = Value::kConstant, .type = VecType::kF64, .bits = BitsOf(value)}); }
int Program::Constant(int32_t value) { return Add({.kind = Value::kConstant, .type = VecType::kI32, .bits = BitsOf(value)}); }
int Program::Constant(int64_t value) { return Add({.kind = Value::kConstant, .type = VecType::kI64, .bits = BitsOf(value)}); }
int Program::Constant(bool value) { return Add({.kind = Value::kConstant, .type = VecType::kBool, .bits = value}); }

int Program::Apply(VecOp op, std::initializer_list<int> args, float param) {
  Value v{.kind = Value::kApply, .type = VecType::kF32, .op = op, .param = NumParams(op) ? param : 0};
  valid_ = valid_ && op != VecOp::kCast && static_cast<int>(args.size()) == NumInputs(op);
  int k = 0;
  for (const int arg : args) {
    valid_ = valid_ && arg >= 0 && arg < static_cast<int>(values_.size());
    if (!valid_) return -1;
    const VecType type = values_[arg].type;
    const bool condition = op == VecOp::kSelect && k == 0;
    if (condition) valid_ = type == VecType::kBool;
    else if (k == (op == VecOp::kSelect ? 1 : 0)) v.operand_type = type;
    else valid_ = type == v.operand_type;
    v.args[k++] = arg;
  }
  valid_ = valid_ && FindElementwise(op, v.operand_type) != nullptr;
  v.type = ReturnsBool(op) ? VecType::kBool : v.operand_type;
  return Add(v);
}

int Program::Cast(int value, VecType to) {
  valid_ = valid_ && value >= 0 && value < static_cast<int>(values_.size());
  if (!valid_) return -1;
  const VecType from = values_[value].type;
  if (from == to) return value;
  return Add({.kind = Value::kApply, .type = to, .op = VecOp::kCast, .operand_type = from, .args = {value, -1, -1}});
}

void Program::Output(int value) {
  valid_ = valid_ && outputs_.size() < kMaxOperands && value >= 0 && value < static_cast<int>(values_.size());
  if (!valid_) return;
  outputs_.push_back(value);
  reductions_.push_back(std::nullopt);
}

void Program::ReducedOutput(int value, ReduceOp op) {
  Output(value);
  if (!valid_) return;
  const VecType type = values_[value].type;
  const bool logical = op == ReduceOp::kAll || op == ReduceOp::kAny;
  valid_ = op <= ReduceOp::kAny && logical == (type == VecType::kBool) && !(op == ReduceOp::kMean && type == VecType::kI32);
  reductions_.back() = op;
}

namespace {

void Put(std::string& s, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) s.push_back(static_cast<char>(value >> 8 * i));
}

class Reader {
 public:
  explicit Reader(const std::string& s) : s_(s) {}
  uint64_t Get(int bytes) {
    uint64_t value = 0;
    if (at_ + bytes > s_.size()) {
      ok_ = false;
      return 0;
    }
    for (int i = 0; i < bytes; ++i) value |= uint64_t{static_cast<unsigned char>(s_[at_++])} << 8 * i;
    return value;
  }
  bool ok() const { return ok_; }
  bool end() const { return at_ == s_.size(); }

 private:
  const std::string& s_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

// Counts, then each value (kind, type, and what its kind has), then the outputs and their reductions; little-endian.
std::string Program::Encode() const {
  std::string s;
  Put(s, values_.size(), 2);
  for (const Value& v : values_) {
    Put(s, v.kind, 1);
    Put(s, static_cast<uint64_t>(v.type), 1);
    if (v.kind == Value::kInput) {
      Put(s, v.splat, 1);
    } else if (v.kind == Value::kConstant) {
      Put(s, v.bits, 8);
    } else {
      Put(s, static_cast<uint64_t>(v.op), 1);
      for (int k = 0; k < NumInputs(v.op); ++k) Put(s, v.args[k], 2);
      if (NumParams(v.op)) Put(s, BitsOf(v.param), 4);
    }
  }
  Put(s, outputs_.size(), 2);
  for (size_t k = 0; k < outputs_.size(); ++k) {
    Put(s, outputs_[k], 2);
    Put(s, reductions_[k] ? 1 + static_cast<uint64_t>(*reductions_[k]) : 0, 1);
  }
  return s;
}

std::optional<Program> Program::Decode(const std::string& bytes) {
  Program p;
  Reader in(bytes);
  const int count = static_cast<int>(in.Get(2));
  for (int i = 0; i < count && in.ok() && p.valid(); ++i) {
    const uint64_t kind = in.Get(1), type = in.Get(1);
    if (kind > Value::kApply || type >= kVecTypes) return std::nullopt;
    const VecType t = static_cast<VecType>(type);
    if (kind == Value::kInput) {
      const uint64_t splat = in.Get(1);
      if (splat > 1) return std::nullopt;
      p.Input(t, splat != 0);
    } else if (kind == Value::kConstant) {
      const uint64_t bits = in.Get(8);
      if (ByteSize(t) == 4 ? bits >> 32 != 0 : t == VecType::kBool && bits > 1) return std::nullopt;
      p.Add({.kind = Value::kConstant, .type = t, .bits = bits});
    } else {
      const uint64_t op_index = in.Get(1);
      if (op_index >= kVecOps) return std::nullopt;
      const VecOp op = static_cast<VecOp>(op_index);
      int args[3] = {-1, -1, -1};
      for (int k = 0; k < NumInputs(op); ++k) args[k] = static_cast<int>(in.Get(2));
      const uint32_t param_bits = NumParams(op) ? static_cast<uint32_t>(in.Get(4)) : 0;
      float param;
      std::memcpy(&param, &param_bits, 4);
      if (op == VecOp::kCast) p.Cast(args[0], t);
      else if (NumInputs(op) == 1) p.Apply(op, {args[0]}, param);
      else if (NumInputs(op) == 2) p.Apply(op, {args[0], args[1]}, param);
      else p.Apply(op, {args[0], args[1], args[2]}, param);
      if (!p.valid() || p.values_.back().type != t) return std::nullopt;
    }
    if (static_cast<int>(p.values_.size()) != i + 1) return std::nullopt;
  }
  const int outputs = static_cast<int>(in.Get(2));
  for (int i = 0; i < outputs && in.ok() && p.valid(); ++i) {
    const int value = static_cast<int>(in.Get(2)), reduction = static_cast<int>(in.Get(1));
    if (reduction == 0) p.Output(value);
    else if (reduction - 1 <= static_cast<int>(ReduceOp::kAny)) p.ReducedOutput(value, static_cast<ReduceOp>(reduction - 1));
    else return std::nullopt;
  }
  if (!in.ok() || !in.end() || !p.valid()) return std::nullopt;
  return p;
}

}  // namespace tandem
