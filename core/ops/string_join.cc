#include "core/ops/string_join.h"

#include "core/gradient.h"

namespace tandem {
namespace {

// The one shape of all inputs that are no scalars.
absl::Status InferStringJoin(InferContext& c) {
  int known = -1;
  Shape out;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.rank(i) < 0) return absl::OkStatus();
    if (c.rank(i) == 0) continue;
    if (known < 0) {
      known = i;
      out = c.input(i);
      continue;
    }
    const auto merged = out.MergedWith(c.input(i));
    if (!merged) return c.Error("shapes differ: ", c.Describe(known), ", ", c.Describe(i));
    out = *merged;
  }
  return c.Output(std::move(out));
}

}  // namespace

OpSchema StringJoinSchema() {
  return OpSchema("StringJoin", "The strings of all inputs joined element by element; scalars count for every element.")
      .Signature("inputs:N*string", "output:string", "N:int>=0; separator:string=\"\"")
      .Infer(InferStringJoin).NotDifferentiable("its value is a string");
}

Tensor StringJoin(const Tensors& inputs, std::string_view separator, Origin origin) {
  return RunList(Op<"StringJoin">(), inputs, {separator}, origin);
}

}  // namespace tandem
