#include <iostream>

#include "core/kernel.h"
#include "core/op.h"
#include "tools/tandem/graph_arguments.h"

namespace tandem::tool {
namespace {

std::string Traits(const OpSchema& op) {
  static constexpr std::pair<OpTrait, const char*> kNames[] = {
      {kStateful, "stateful"}, {kRandom, "random"}, {kSideEffect, "side effects"}, {kCommutative, "commutative"},
      {kElementwise, "elementwise"}, {kMayFail, "may fail on values"}, {kView, "shares its input's memory"}};
  std::string text;
  for (const auto& [trait, name] : kNames)
    if (op.has(trait)) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void Describe(OpId id) {
  const OpSchema& op = GetOp(id);
  std::cout << op.name() << "\n  " << op.documentation() << "\n\n  inputs:   " << op.inputs_text() << "\n  outputs:  " << op.outputs_text() << '\n';
  if (!op.attrs_text().empty()) std::cout << "  attrs:    " << op.attrs_text() << '\n';
  std::cout << "  gradient: " << (op.differentiable() ? "yes" : "no: " + op.not_differentiable()) << '\n';
  if (const std::string traits = Traits(op); !traits.empty()) std::cout << "  traits:   " << traits << '\n';
  std::string types;
  const CpuKernel& kernel = GetCpuKernel(id);
  for (int d = 1; d < kNumDTypes; ++d)
    if (kernel.find(static_cast<DType>(d))) types += (types.empty() ? "" : ", ") + std::string(DTypeName(static_cast<DType>(d)));
  std::cout << "  devices:  cpu:0" << (op.kernel_type_attr() >= 0 && !types.empty() ? " (" + types + ")" : "") << '\n';
}

int Run(const std::string& name) {
  if (name.empty()) {
    for (int i = 0; i < NumOps(); ++i) {
      const OpSchema& op = GetOp(static_cast<OpId>(i));
      std::cout << op.name() << std::string(op.name().size() < 36 ? 36 - op.name().size() : 1, ' ') << op.documentation() << '\n';
    }
    return 0;
  }
  const OpId id = FindOp(name);
  if (id == OpId::kInvalid) throw Error(Code::kNotFound, "there is no op \"" + name + "\"; `tandem ops` lists all");
  Describe(id);
  return 0;
}

}  // namespace

void AddOps(CLI::App& app, Action& chosen) {
  auto name = std::make_shared<std::string>();
  CLI::App* ops = app.add_subcommand("ops", "Lists the ops, or documents one: signature, gradient, devices");
  ops->add_option("NAME", *name, "An op: tandem ops MatMul");
  ops->callback([name, &chosen] { chosen = [name] { return Run(*name); }; });
}

}  // namespace tandem::tool
