#include "kernels/cpu/epilogue.h"

#include "core/parallel.h"
#include "kernels/vector/elementwise.h"

namespace tandem {
namespace {

constexpr VecType kF32 = VecType::kF32;

struct Step {
  ElementwiseFn fn = nullptr;
  const float* bias = nullptr;      // one of the two for an addition, neither for a function of one operand
  const float* residual = nullptr;
  float alpha = 0;
};

// The function of one float that is the op of this name by itself; null when there is none.
ElementwiseFn FindActivation(std::string_view name) {
  for (int i = 0; i < kVecOps - 1; ++i) {
    const auto op = static_cast<VecOp>(i);
    if (name != Name(op)) continue;
    const bool fits = NumInputs(op) == 1 && !ReturnsBool(op) && (NumParams(op) == 0 || op == VecOp::kLeakyRelu);
    return fits && FindOp(name) != OpId::kInvalid ? FindElementwise(op, kF32) : nullptr;
  }
  return nullptr;
}

}  // namespace

bool CpuEpilogueIsExact(Contraction, std::string_view op, DType dtype) {
  return dtype == kFloat32 && (op == "BiasAdd" || op == "Add" || FindActivation(op));
}

absl::InlinedVector<Addend, 2> OnlyAddends(const KernelCall& call) {
  absl::InlinedVector<Addend, 2> addends;
  const auto ops = call.attr<std::span<const std::string>>("fused_ops");
  if (ops.size() > 2) return addends;
  for (const std::string& op : ops) {
    if (op != "BiasAdd" && op != "Add") return {};
    addends.push_back({call.input(2 + static_cast<int>(addends.size())).as<float>(), op == "BiasAdd"});
  }
  return addends;
}

absl::Status ApplyEpilogue(KernelCall& call, const EpilogueLayout& l) {
  absl::InlinedVector<Step, 4> steps;
  int arg = 2;
  const float alpha = call.attr<float>("leakyrelu_alpha");
  for (const std::string& op : call.attr<std::span<const std::string>>("fused_ops")) {
    Step step{.alpha = alpha};
    if (op == "BiasAdd") step.bias = call.input(arg++).as<float>();
    else if (op == "Add") step.residual = call.input(arg++).as<float>();
    step.fn = step.bias || step.residual ? FindElementwise(VecOp::kAdd, kF32) : FindActivation(op);
    if (!step.fn) return absl::InternalError(absl::StrCat(call.schema.name(), ": no function for ", op));
    steps.push_back(step);
  }
  float* out = call.output().as<float>();
  const int64_t rows = l.channels_first ? l.channels : l.images * l.pixels, columns = l.channels_first ? l.pixels : l.channels;
  const int64_t images = l.channels_first ? l.images : 1;
  if (!rows || !columns) return absl::OkStatus();
  const int64_t block = std::max<int64_t>(1, 4096 / columns), blocks = (rows + block - 1) / block;  // 16 kB
  ParallelFor(images * blocks, 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % blocks * block, count = std::min(block, rows - row);
      const int64_t offset = (i / blocks * rows + row) * columns;
      for (const Step& s : steps) {
        Operand2D in[2] = {{out + offset, columns, 1}, {}};
        if (s.bias) in[1] = l.channels_first ? Operand2D{s.bias + row, 1, 0} : Operand2D{s.bias, 0, 1};
        else if (s.residual) in[1] = {s.residual + offset, columns, 1};
        s.fn(in, out + offset, count, columns, &s.alpha);
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace tandem
