#include "core/ops/broadcast_gradient.h"

#include "core/infer.h"
#include "core/op.h"

namespace tandem {
namespace {

// The number of axes depends on the values of the shapes.
absl::Status InferReductionAxes(InferContext& c) {
  for (int i = 0; i < 2; ++i) {
    RETURN_IF_ERROR(c.InputOfRank(i, 1).status());
    RETURN_IF_ERROR(c.Output(i, {kUnknownDim}));
  }
  return absl::OkStatus();
}

}  // namespace

OpSchema BroadcastGradientArgsSchema() {
  return OpSchema("BroadcastGradientArgs", "The axes over which gradients of operands of shapes s0 and s1 are summed: those along which "
                                           "the operand was broadcast.")
      .Signature("s0:T, s1:T", "r0:T, r1:T", "T:type=int32{int32,int64}")
      .Traits(kKernelAllocates | kMayFail).Infer(InferReductionAxes).NotDifferentiable("values are integers");
}

Tensor ReductionAxes(const Tensor& s, const Tensor& dy) {
  const Tensor shapes[] = {s, dy};
  return RunMany(Op<"BroadcastGradientArgs">(), shapes)[0];
}

}  // namespace tandem
