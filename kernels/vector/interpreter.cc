#include "kernels/vector/interpreter.h"

#include <algorithm>
#include <cstring>

namespace tandem::vec {
namespace {

constexpr int64_t kTile = 256;                                  // elements
constexpr int64_t kSlotBytes = kTile * 8;

// Grows to the largest program a thread has run.
uint8_t* Scratch(size_t bytes) {
  thread_local std::vector<uint8_t> buffer;
  if (buffer.size() < bytes) buffer.resize(bytes);
  return buffer.data();
}

class Interpreter : public CompiledProgram {
 public:
  Interpreter(const Program& program, Isa isa);
  void Run(const Operand2D* in, void* const* outs, int64_t rows, int64_t cols) const override;
  bool emitted() const override { return false; }
  int64_t code_bytes() const override { return 0; }

 private:
  struct Source {
    enum Kind : uint8_t { kInput, kConstant, kSlot } kind;
    int index;  // input, slot; constants: value
  };
  struct Step {
    ElementwiseFn fn;
    int num_args;
    Source args[3];
    int slot;
    float param;
  };
  struct Result {
    Source source;
    VecType type;
  };

  // Rows [row, row + tile_rows) and columns [col, col + tile_cols).
  void RunTile(const Operand2D* in, void* const* outs, int64_t cols, int64_t row, int64_t col, int64_t tile_rows, int64_t tile_cols, uint8_t* slots) const;

  std::vector<VecType> input_types_;
  std::vector<uint64_t> constants_;  // by value
  std::vector<Step> steps_;
  std::vector<Result> results_;
  std::vector<ElementwiseFn> copies_;  // of each result's type
  int num_slots_ = 0;
};

Interpreter::Interpreter(const Program& program, Isa isa) {
  const KernelTable& kernels = KernelsFor(isa);
  const auto& values = program.values();
  const int n = static_cast<int>(values.size());
  std::vector<int> last_use(n, -1), slot(n, -1);
  std::vector<bool> needed(n, false);
  for (const int output : program.outputs()) {
    needed[output] = true;
    last_use[output] = n;
  }
  for (int i = n - 1; i >= 0; --i) {
    if (!needed[i] || values[i].kind != Program::Value::kApply) continue;
    for (int k = 0; k < NumInputs(values[i].op); ++k) {
      needed[values[i].args[k]] = true;
      last_use[values[i].args[k]] = std::max(last_use[values[i].args[k]], i);
    }
  }
  const auto source = [&](int value) -> Source {
    switch (values[value].kind) {
      case Program::Value::kInput: return {Source::kInput, values[value].input};
      case Program::Value::kConstant: return {Source::kConstant, value};
      default: return {Source::kSlot, slot[value]};
    }
  };
  std::vector<int> free;
  constants_.resize(n);
  for (int i = 0; i < n; ++i) {
    const Program::Value& v = values[i];
    if (v.kind == Program::Value::kInput) input_types_.push_back(v.type);
    constants_[i] = v.bits;
    if (!needed[i] || v.kind != Program::Value::kApply) continue;
    Step step{.num_args = NumInputs(v.op), .param = v.param};
    step.fn = v.op == VecOp::kCast ? kernels.cast[static_cast<int>(v.operand_type)][static_cast<int>(v.type)]
                                   : kernels.elementwise[static_cast<int>(v.op)][static_cast<int>(v.operand_type)];
    for (int k = 0; k < step.num_args; ++k) step.args[k] = source(v.args[k]);
    if (free.empty()) free.push_back(num_slots_++);
    slot[i] = step.slot = free.back();  // taken before the operands' slots are free: their element sizes may differ
    free.pop_back();
    for (int k = 0; k < step.num_args; ++k) {
      const int arg = v.args[k];
      if (slot[arg] >= 0 && last_use[arg] == i && std::find(v.args, v.args + k, arg) == v.args + k) free.push_back(slot[arg]);
    }
    steps_.push_back(step);
  }
  for (const int output : program.outputs()) {
    results_.push_back({source(output), values[output].type});
    copies_.push_back(kernels.cast[static_cast<int>(values[output].type)][static_cast<int>(values[output].type)]);
  }
}

void Interpreter::RunTile(const Operand2D* in, void* const* outs, int64_t cols, int64_t row, int64_t col, int64_t tile_rows, int64_t tile_cols,
                          uint8_t* slots) const {
  const auto operand = [&](const Source& s) -> Operand2D {
    if (s.kind == Source::kConstant) return {&constants_[s.index], 0, 0};
    if (s.kind == Source::kSlot) return {slots + s.index * kSlotBytes, tile_cols, 1};
    const Operand2D& x = in[s.index];
    const int64_t at = row * x.row_stride + (x.col_stride ? col : 0);
    return {static_cast<const uint8_t*>(x.data) + at * ByteSize(input_types_[s.index]), x.row_stride, x.col_stride};
  };
  for (const Step& step : steps_) {
    Operand2D args[3];
    for (int k = 0; k < step.num_args; ++k) args[k] = operand(step.args[k]);
    step.fn(args, slots + step.slot * kSlotBytes, tile_rows, tile_cols, &step.param);
  }
  // Results last: an output may be an input's memory. Several rows at once are whole rows, so dense.
  for (size_t k = 0; k < results_.size(); ++k) {
    const Operand2D from = operand(results_[k].source);
    copies_[k](&from, static_cast<uint8_t*>(outs[k]) + (row * cols + col) * ByteSize(results_[k].type), tile_rows, tile_cols, nullptr);
  }
}

void Interpreter::Run(const Operand2D* in, void* const* outs, int64_t rows, int64_t cols) const {
  if (rows <= 0 || cols <= 0) return;
  uint8_t* slots = Scratch(static_cast<size_t>(num_slots_ * kSlotBytes + 64));
  if (cols <= kTile) {
    const int64_t step = kTile / cols;
    for (int64_t r = 0; r < rows; r += step) RunTile(in, outs, cols, r, 0, std::min(step, rows - r), cols, slots);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; c += kTile) RunTile(in, outs, cols, r, c, 1, std::min(kTile, cols - c), slots);
  }
}

}  // namespace

std::shared_ptr<const CompiledProgram> MakeInterpreter(const Program& program, Isa isa) {
  return std::make_shared<Interpreter>(program, isa);
}

}  // namespace tandem::vec
