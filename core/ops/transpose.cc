#include "core/ops/transpose.h"

#include <algorithm>

#include "core/int_values.h"
#include "core/ops/fill.h"
#include "core/ops/math.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

absl::Status InferTranspose(InferContext& c) {
  ASSIGN_OR_RETURN(Shape vector, c.InputOfRank(1, 1));
  if (vector[0] > kMaxRank) return c.Error("perm has ", vector[0], " elements, the largest rank is ", kMaxRank);
  const int rank = c.rank(0) >= 0 ? c.rank(0) : static_cast<int>(vector[0]);
  if (rank < 0) return absl::OkStatus();
  if (vector[0] >= 0 && vector[0] != rank) return c.Error("perm has ", vector[0], " elements, ", c.Describe(0));
  Shape out;
  if (!c.value(1)) {
    for (int k = 0; k < rank; ++k) out.push_back(kUnknownDim);
    return c.Output(std::move(out));
  }
  std::vector<bool> seen(rank, false);
  for (int k = 0; k < rank; ++k) {
    ASSIGN_OR_RETURN(int axis, c.Axis(IntValue(*c.value(1), k), rank, absl::StrCat("perm[", k, "]")));
    if (seen[axis]) return c.Error("perm has axis ", axis, " twice: ", ListText(IntValues(*c.value(1))));
    seen[axis] = true;
    out.push_back(c.rank(0) < 0 ? kUnknownDim : c.dim(0, axis));
  }
  return c.Output(std::move(out));
}

// The inverse permutation: at once where perm is known, and may have negative axes, else by the graph.
Tensors TransposeGradient(const Recorded& op, const Tensor& dy) {
  const Tensor perm = KnownValue(op.input(1));
  if (!perm.defined()) return {Transpose(dy, InvertPermutation(op.input(1))), Tensor()};
  const IntVector axes = IntValues(*perm.rep());
  std::vector<int64_t> inverse(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) inverse[axes[k] < 0 ? axes[k] + axes.size() : axes[k]] = static_cast<int64_t>(k);
  return {Transpose(dy, inverse), Tensor()};
}

absl::Status InferInvertPermutation(InferContext& c) {
  ASSIGN_OR_RETURN(Shape x, c.InputOfRank(0, 1));
  return c.Output(std::move(x));
}

absl::Status InferReverse(InferContext& c) {
  ASSIGN_OR_RETURN(Shape axes, c.InputOfRank(1, 1));
  if (c.rank(0) >= 0 && c.value(1)) {
    std::vector<bool> seen(c.rank(0), false);
    for (int64_t k = 0; k < axes[0]; ++k) {
      ASSIGN_OR_RETURN(int axis, c.Axis(IntValue(*c.value(1), k), c.rank(0), absl::StrCat("axis[", k, "]")));
      if (seen[axis]) return c.Error("axis has ", axis, " twice: ", ListText(IntValues(*c.value(1))));
      seen[axis] = true;
    }
  }
  return c.Output(c.input(0));
}

Tensors ReverseGradient(const Recorded& op, const Tensor& dy) { return {Reverse(dy, op.input(1)), Tensor()}; }

// rank - 1, …, 1, 0.
Tensor Reversal(const Tensor& x) {
  const int rank = x.rank();
  if (rank < 0) return Range(Rank(x) + -1, -1, -1);
  std::vector<int> perm(rank);
  for (int k = 0; k < rank; ++k) perm[k] = rank - 1 - k;
  return Tensor(perm);
}

}  // namespace

OpSchema TransposeSchema() {
  return OpSchema("Transpose", "The input with its axes in the order perm.")
      .Signature("x:T, perm:Tperm", "y:T", "T:type; Tperm:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferTranspose).Gradient(TransposeGradient).GradientReads("perm");
}
OpSchema InvertPermutationSchema() {
  return OpSchema("InvertPermutation", "The inverse of a permutation of 0, 1, …, n - 1.")
      .Signature("x:T", "y:T", "T:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferInvertPermutation).NotDifferentiable("its values are integers");
}
OpSchema ReverseV2Schema() {
  return OpSchema("ReverseV2", "The input with the elements along each of the axes in reverse order.")
      .Signature("tensor:T, axis:Tidx", "output:T",
                 "Tidx:type=int32{int32,int64}; T:type{uint8,int8,uint16,int16,int32,uint32,int64,uint64,bool,bfloat16,half,float,double,complex64,complex128,string}")
      .Traits(kMayFail)
      .Infer(InferReverse).Gradient(ReverseGradient).GradientReads("axis");
}

Tensor Transpose(const Tensor& x, const Ints& perm, Origin origin) {
  return Run(Op<"Transpose">(), {x, perm.tensor().defined() ? perm.tensor() : Reversal(x)}, {}, origin);
}
Tensor InvertPermutation(const Tensor& x, Origin origin) { return Run(Op<"InvertPermutation">(), {x}, {}, origin); }
Tensor Reverse(const Tensor& x, const Ints& axes, Origin origin) {
  return Run(Op<"ReverseV2">(), {x, axes.tensor()}, {}, origin);
}

}  // namespace tandem
