#include "kernels/vector/compile.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "kernels/vector/code_pages.h"
#include "kernels/vector/emitter.h"
#include "kernels/vector/interpreter.h"
#include "kernels/vector/record.h"

namespace tandem {
namespace vec {
namespace {

class EmittedProgram : public CompiledProgram {
 public:
  EmittedProgram(const PrimitiveGraph& graph, Isa isa, std::span<const uint8_t> code)
      : inputs_(graph.inputs), pages_(code), partial_vectors_(isa == Isa::kAvx512) {
    for (const GraphOutput& output : graph.outputs) outputs_.push_back(output.type);
  }
  bool usable() const { return pages_.data() != nullptr; }
  bool emitted() const override { return true; }
  int64_t code_bytes() const override { return pages_.size(); }
  void Run(const Operand2D* in, void* const* outs, int64_t rows, int64_t cols) const override;

 private:
  void Call(CodeArgs& args) const { reinterpret_cast<void (*)(CodeArgs*)>(const_cast<void*>(pages_.data()))(&args); }
  void RunPartial(const Operand2D* in, void* const* outs, int64_t row, int64_t cols, int64_t begin) const;

  const std::vector<GraphInput> inputs_;
  std::vector<VecType> outputs_;
  const CodePages pages_;
  const bool partial_vectors_;  // the code handles any number of columns
};

void EmittedProgram::Run(const Operand2D* in, void* const* outs, int64_t rows, int64_t cols) const {
  if (rows <= 0 || cols <= 0) return;
  bool one_row = rows > 1;
  for (size_t k = 0; k < inputs_.size(); ++k) one_row = one_row && in[k].row_stride == (inputs_[k].splat ? 0 : cols);
  if (one_row) {
    cols *= rows;
    rows = 1;
  }
  CodeArgs args;
  args.rows = rows;
  args.cols = partial_vectors_ ? cols : cols / kAvx2Columns * kAvx2Columns;
  const size_t num_inputs = inputs_.size();
  for (size_t k = 0; k < num_inputs; ++k) {
    args.pointer[k] = const_cast<void*>(in[k].data);
    args.row_bytes[k] = in[k].row_stride * ByteSize(inputs_[k].type);
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    args.pointer[num_inputs + k] = outs[k];
    args.row_bytes[num_inputs + k] = cols * ByteSize(outputs_[k]);
  }
  if (args.cols > 0) Call(args);
  if (args.cols == cols) return;
  for (int64_t r = 0; r < rows; ++r) RunPartial(in, outs, r, cols, cols / kAvx2Columns * kAvx2Columns);
}

// The last few columns of a row, by way of whole vectors on the stack.
void EmittedProgram::RunPartial(const Operand2D* in, void* const* outs, int64_t row, int64_t cols, int64_t begin) const {
  alignas(32) uint8_t buffer[kMaxCodeOperands][kAvx2Columns * 8];
  CodeArgs args;
  args.rows = 1;
  args.cols = kAvx2Columns;
  std::memset(args.row_bytes, 0, sizeof(args.row_bytes));
  for (size_t k = 0; k < inputs_.size(); ++k) {
    const int64_t bytes = ByteSize(inputs_[k].type), at = row * in[k].row_stride + (inputs_[k].splat ? 0 : begin);
    std::memset(buffer[k], 0, sizeof(buffer[k]));
    std::memcpy(buffer[k], static_cast<const uint8_t*>(in[k].data) + at * bytes, (inputs_[k].splat ? 1 : cols - begin) * bytes);
    args.pointer[k] = buffer[k];
  }
  for (size_t k = 0; k < outputs_.size(); ++k) args.pointer[inputs_.size() + k] = buffer[inputs_.size() + k];
  Call(args);
  for (size_t k = 0; k < outputs_.size(); ++k) {
    const int64_t bytes = ByteSize(outputs_[k]);
    std::memcpy(static_cast<uint8_t*>(outs[k]) + (row * cols + begin) * bytes, buffer[inputs_.size() + k], (cols - begin) * bytes);
  }
}

// A program some of whose outputs are reduced: whole rows, or blocks of the reduction tree, go through a buffer.
class ReducingProgram : public CompiledProgram {
 public:
  ReducingProgram(const Program& program, std::shared_ptr<const CompiledProgram> values)
      : values_(std::move(values)), reductions_(program.reductions()) {
    for (const int output : program.outputs()) types_.push_back(program.values()[output].type);
    for (const Program::Value& v : program.values()) {
      if (v.kind == Program::Value::kInput) input_bytes_.push_back(ByteSize(v.type));
    }
  }
  bool emitted() const override { return values_->emitted(); }
  int64_t code_bytes() const override { return values_->code_bytes(); }
  void Run(const Operand2D* in, void* const* outs, int64_t rows, int64_t cols) const override;

 private:
  // The buffer of output k, which follows those before it; then the partial results of a long row.
  uint8_t* Block(uint8_t* scratch, size_t k) const { return scratch + k * kReduceBlock * 8; }

  const std::shared_ptr<const CompiledProgram> values_;
  std::vector<VecType> types_;
  const std::vector<std::optional<ReduceOp>> reductions_;
  std::vector<int64_t> input_bytes_;
};

uint8_t* ReductionScratch(size_t bytes) {
  thread_local std::vector<uint8_t> buffer;
  if (buffer.size() < bytes) buffer.resize(bytes);
  return buffer.data();
}

void ReducingProgram::Run(const Operand2D* in, void* const* outs, int64_t rows, int64_t cols) const {
  const size_t outputs = types_.size();
  if (cols <= 0) {
    for (size_t k = 0; k < outputs; ++k) {
      if (reductions_[k]) Reduce(*reductions_[k], types_[k], nullptr, outs[k], rows, 0, 1, 0, 1);
    }
    return;
  }
  const bool whole_rows = cols <= kReduceBlock;
  const int64_t step_rows = whole_rows ? kReduceBlock / cols : 1, blocks = (cols + kReduceBlock - 1) / kReduceBlock;
  uint8_t* scratch = ReductionScratch(outputs * (kReduceBlock + blocks) * 8);
  uint8_t* partials = scratch + outputs * kReduceBlock * 8;
  Operand2D part[Program::kMaxOperands];
  void* to[Program::kMaxOperands];
  for (int64_t r = 0; r < rows; r += step_rows) {
    const int64_t count = std::min(step_rows, rows - r);
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t begin = b * kReduceBlock, width = std::min(kReduceBlock, cols - begin);
      for (size_t k = 0; k < input_bytes_.size(); ++k) {
        const int64_t at = r * in[k].row_stride + (in[k].col_stride ? begin : 0);
        part[k] = {static_cast<const uint8_t*>(in[k].data) + at * input_bytes_[k], in[k].row_stride, in[k].col_stride};
      }
      for (size_t k = 0; k < outputs; ++k) {
        to[k] = reductions_[k] ? Block(scratch, k) : static_cast<uint8_t*>(outs[k]) + (r * cols + begin) * ByteSize(types_[k]);
      }
      values_->Run(part, to, count, width);
      for (size_t k = 0; k < outputs; ++k) {
        if (!reductions_[k]) continue;
        const int64_t bytes = ByteSize(types_[k]);
        if (whole_rows) Reduce(*reductions_[k], types_[k], to[k], static_cast<uint8_t*>(outs[k]) + r * bytes, count, cols, 1, 0, 1);
        else ReduceBlocks(*reductions_[k], types_[k], to[k], width, 0, 1, partials + k * blocks * 8 + b * bytes);
      }
    }
    for (size_t k = 0; k < outputs && !whole_rows; ++k) {
      const int64_t bytes = ByteSize(types_[k]);
      if (reductions_[k]) CombineBlocks(*reductions_[k], types_[k], partials + k * blocks * 8, cols, static_cast<uint8_t*>(outs[k]) + r * bytes);
    }
  }
}

// Reset when it grows beyond what a process of many graphs plausibly keeps in use; programs live on with their users.
class Cache {
 public:
  std::shared_ptr<const CompiledProgram> Find(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = programs_.find(key);
    return it == programs_.end() ? nullptr : it->second;
  }
  // Two threads may have compiled the same program: the first one's stays.
  std::shared_ptr<const CompiledProgram> Insert(std::string key, std::shared_ptr<const CompiledProgram> program) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (programs_.size() >= kMaxPrograms) programs_.clear();
    return programs_.try_emplace(std::move(key), std::move(program)).first->second;
  }

 private:
  static constexpr size_t kMaxPrograms = 4096;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const CompiledProgram>> programs_;
};

bool JitWanted() {
  static const bool wanted = [] {
    const char* value = std::getenv("TANDEM_JIT");
    return value == nullptr || std::string_view(value) != "0";
  }();
  return wanted;
}

}  // namespace

std::shared_ptr<const CompiledProgram> MakeEmitted(const Program& program, Isa isa) {
  const std::optional<PrimitiveGraph> graph = RecordProgram(program, /*has_scale=*/isa == Isa::kAvx512);
  if (!graph) return nullptr;
  const std::vector<uint8_t> code = EmitProgram(*graph, isa);
  if (code.empty()) return nullptr;
  auto emitted = std::make_shared<EmittedProgram>(*graph, isa, code);
  if (!emitted->usable()) return nullptr;
  return WithReductions(program, std::move(emitted));
}

std::shared_ptr<const CompiledProgram> WithReductions(const Program& program, std::shared_ptr<const CompiledProgram> values) {
  for (const auto& reduction : program.reductions()) {
    if (reduction) return std::make_shared<ReducingProgram>(program, std::move(values));
  }
  return values;
}

}  // namespace vec

std::shared_ptr<const CompiledProgram> Compile(const Program& program) {
  if (!program.valid()) return nullptr;
  static vec::Cache& cache = *new vec::Cache;  // outlives whatever runs at exit
  std::string key = program.Encode();
  if (auto found = cache.Find(key)) return found;
  std::shared_ptr<const CompiledProgram> made = vec::JitWanted() ? vec::MakeEmitted(program, vec::ActiveIsa()) : nullptr;
  if (made == nullptr) made = vec::WithReductions(program, vec::MakeInterpreter(program, vec::ActiveIsa()));
  return cache.Insert(std::move(key), std::move(made));
}

}  // namespace tandem
