// FusedElementwise: a cluster of elementwise ops as one node. Made by the fusion pass, written to files like any op.
//
// `program` lists the ops in order, each a function attribute: its name is the op's, "args" says what it reads (k >= 0:
// input k of the node; k < 0: the result of instruction ~k), the rest are the op's own explicit attributes.
#include "core/fused_program.h"
#include "core/gradient.h"

namespace tandem {

absl::StatusOr<std::vector<FusedInstruction>> ParseFusedProgram(std::span<const FuncAttr> program, int num_inputs) {
  std::vector<FusedInstruction> out;
  for (const FuncAttr& func : program) {
    FusedInstruction instruction;
    instruction.op = FindOp(func.name);
    if (instruction.op == OpId::kInvalid) return InvalidArgument("FusedElementwise: the program names the unknown op ", func.name);
    const OpSchema& schema = GetOp(instruction.op);
    if (!schema.has(kElementwise)) return InvalidArgument("FusedElementwise: ", func.name, " is not elementwise");
    instruction.attrs.resize(schema.num_explicit_attrs());
    for (const auto& [name, value] : func.attrs) {
      if (name == "args") {
        if (value.kind() != AttrKind::kIntList) return InvalidArgument("FusedElementwise: args of ", func.name, " must be a list of integers");
        for (int64_t arg : value.ref().get<std::span<const int64_t>>()) {
          if (arg >= num_inputs || arg < -static_cast<int64_t>(out.size()))
            return InvalidArgument("FusedElementwise: argument ", arg, " of ", func.name, " is neither an input nor an earlier result");
          instruction.args.push_back(static_cast<int32_t>(arg));
        }
        continue;
      }
      const int attr = schema.FindAttr(name);
      if (attr < 0 || schema.attrs()[attr].explicit_index < 0) return InvalidArgument("FusedElementwise: ", func.name, " has no attribute ", name);
      instruction.attrs[schema.attrs()[attr].explicit_index] = value;
    }
    if (!schema.plain() || instruction.args.size() != schema.inputs().size() || schema.outputs().size() != 1)
      return InvalidArgument("FusedElementwise: ", func.name, " takes ", schema.inputs().size(), " inputs, the program gives ", instruction.args.size());
    out.push_back(std::move(instruction));
  }
  if (out.empty()) return InvalidArgument("FusedElementwise: the program is empty");
  return out;
}

namespace {

// Each op of the program infers in turn, so that an error reads as it does without fusion.
absl::Status InferFused(InferContext& c) {
  ASSIGN_OR_RETURN(const auto program, ParseFusedProgram(c.attr<std::span<const FuncAttr>>("program"), c.num_inputs()));
  std::vector<InferOutput> results;
  for (const FusedInstruction& instruction : program) {
    absl::InlinedVector<InferInput, 3> inputs;
    for (int32_t arg : instruction.args) {
      if (arg >= 0) {
        inputs.push_back({c.dims(arg).data(), c.rank(arg), c.dtype(arg), nullptr, nullptr});
      } else {
        const InferOutput& r = results[~arg];
        inputs.push_back({r.shape.begin(), r.shape.rank(), r.dtype, nullptr, nullptr});
      }
    }
    absl::InlinedVector<AttrRef, 2> attrs;
    for (const AttrValue& a : instruction.attrs) attrs.push_back(a.ref());
    InferContext one(GetOp(instruction.op), inputs, attrs);
    RETURN_IF_ERROR(one.Run());
    results.push_back(one.outputs()[0]);
  }
  const InferOutput& last = results.back();
  const auto want = c.attr<std::span<const DType>>("Tout");
  if (want.size() != 1 || want[0] != last.dtype) return c.Error("the program ends with another dtype than Tout says");
  return c.Output(last.shape);
}

}  // namespace

OpSchema FusedElementwiseSchema() {
  return OpSchema("FusedElementwise", "A cluster of elementwise ops, run as one loop. The last op of the program is the result.")
      .Signature("args:list(Tin)", "outputs:list(Tout)", "Tin:list(type)>=1; Tout:list(type)>=1; program:list(func)")
      .Traits(kElementwise)
      .Infer(InferFused).NotDifferentiable("fusion happens after differentiation");
}

}  // namespace tandem
