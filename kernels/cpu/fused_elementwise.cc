// FusedElementwise: its program of ops becomes a program of vector functions, compiled once for each way in which
// operands meet the loop and kept with the plan.
#include <vector>

#include "core/fused_program.h"
#include "core/kernel.h"
#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/lanes.h"
#include "kernels/vector/program.h"

namespace tandem {
namespace {

absl::StatusOr<VecType> LoopType(DType dtype) {
  const Lanes& lanes = LanesOf(dtype);
  if (!lanes.known || lanes.widen) return absl::UnimplementedError(absl::StrCat("FusedElementwise: no loop for ", std::string(DTypeName(dtype))));
  return lanes.type;
}

// splats: bit k says that input k is one element for a whole row.
absl::StatusOr<std::shared_ptr<const CompiledProgram>> Translate(const KernelCall& call, uint64_t splats) {
  ASSIGN_OR_RETURN(const auto instructions, ParseFusedProgram(call.attr<std::span<const FuncAttr>>("program"), static_cast<int>(call.inputs.size())));
  Program program;
  std::vector<int> inputs, results;
  for (size_t k = 0; k < call.inputs.size(); ++k) {
    ASSIGN_OR_RETURN(const VecType type, LoopType(call.input(static_cast<int>(k)).dtype));
    inputs.push_back(program.Input(type, splats >> k & 1));
  }
  for (const FusedInstruction& instruction : instructions) {
    const OpSchema& schema = GetOp(instruction.op);
    const int16_t loop_op = GetCpuKernel(instruction.op).loop_op;
    if (loop_op < 0) return absl::UnimplementedError(absl::StrCat("FusedElementwise: ", schema.name(), " joins no loop"));
    const auto arg = [&](size_t i) { return instruction.args[i] >= 0 ? inputs[instruction.args[i]] : results[~instruction.args[i]]; };
    const auto op = static_cast<VecOp>(loop_op);
    if (op == VecOp::kCast) {
      const int attr = schema.FindAttr("DstT");
      ASSIGN_OR_RETURN(const VecType to, LoopType(instruction.attrs[schema.attrs()[attr].explicit_index].ref().get<DType>()));
      results.push_back(program.Cast(arg(0), to));
      continue;
    }
    const int alpha = schema.FindAttr("alpha");
    const float param = alpha < 0 ? 0.0f : instruction.attrs[schema.attrs()[alpha].explicit_index].ref().get<float>();
    switch (instruction.args.size()) {
      case 1: results.push_back(program.Apply(op, {arg(0)}, param)); break;
      case 2: results.push_back(program.Apply(op, {arg(0), arg(1)}, param)); break;
      default: results.push_back(program.Apply(op, {arg(0), arg(1), arg(2)}, param)); break;
    }
  }
  program.Output(results.back());
  auto compiled = Compile(program);
  if (!compiled) return absl::UnimplementedError("FusedElementwise: the program has an op without a loop for its dtype");
  return compiled;
}

// Few patterns occur in one plan: shapes are fixed there, and short rows are handed over in one more form.
struct FusedState : KernelState {
  std::vector<std::pair<uint64_t, std::shared_ptr<const CompiledProgram>>> compiled;

  absl::StatusOr<const CompiledProgram*> For(const KernelCall& call, uint64_t splats) {
    for (const auto& [pattern, program] : compiled)
      if (pattern == splats) return program.get();
    ASSIGN_OR_RETURN(auto program, Translate(call, splats));
    compiled.emplace_back(splats, std::move(program));
    return compiled.back().second.get();
  }
};

absl::Status FusedElementwise(KernelCall& call) {
  if (call.inputs.size() > BroadcastLoop::kMaxOperands)
    return call.Error("has ", call.inputs.size(), " inputs, at most ", BroadcastLoop::kMaxOperands);
  FusedState local;
  FusedState* state = &local;
  if (call.plan_state) {
    if (!*call.plan_state) *call.plan_state = std::make_unique<FusedState>();
    state = static_cast<FusedState*>(call.plan_state->get());
  }
  const BroadcastLoop loop(call.inputs, call.output());
  uint64_t splats = 0;
  for (size_t k = 0; k < call.inputs.size(); ++k) splats |= uint64_t{loop.col_stride(static_cast<int>(k)) == 0} << k;
  // Both are looked up before the loop runs on several threads.
  ASSIGN_OR_RETURN(const CompiledProgram* row, state->For(call, splats));
  const CompiledProgram* dense = row;
  if (splats != 0 && loop.gathers()) {
    ASSIGN_OR_RETURN(dense, state->For(call, 0));
  }
  char* out = call.output().as<char>();
  const auto bytes = static_cast<int64_t>(DTypeSize(call.output().dtype));
  loop.Run([&](const Operand2D* in, int64_t first, int64_t rows, int64_t cols) {
    void* const outs[] = {out + first * bytes};
    bool gathered = splats != 0;
    for (size_t k = 0; k < call.inputs.size(); ++k) gathered &= in[k].col_stride == 1;
    (gathered ? dense : row)->Run(in, outs, rows, cols);
  });
  return absl::OkStatus();
}

}  // namespace

void FusedElementwiseCpu(CpuKernel& k) { k.SetAll(FusedElementwise); }

}  // namespace tandem
