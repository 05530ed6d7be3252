#include "core/ops/unique.h"

#include "core/context.h"
#include "core/infer.h"

namespace tandem {
namespace {

absl::Status InferUnique(InferContext& c) {
  ASSIGN_OR_RETURN(Shape x, c.InputOfRank(0, 1));
  c.Output(0, {kUnknownDim}).IgnoreError();
  return c.Output(1, std::move(x));
}

}  // namespace

OpSchema UniqueSchema() {
  return OpSchema("Unique", "The distinct elements of a vector, in the order in which they first appear, and for each element which it is.")
      .Signature("x:T", "y:T, idx:out_idx", "T:type; out_idx:type=int32{int32,int64}")
      .Traits(kKernelAllocates)
      .Infer(InferUnique).NotDifferentiable("which elements are equal does not change smoothly");
}

UniqueResult Unique(Operand x, DType index_type, Origin origin) {
  const Tensor input = ToTensor(x);
  Tensors out = RunMany(Op<"Unique">(), {&input, 1}, {index_type}, origin);
  return {std::move(out[0]), std::move(out[1])};
}

}  // namespace tandem
