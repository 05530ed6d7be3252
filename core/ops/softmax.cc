#include "core/ops/softmax.h"

#include <algorithm>

#include "core/gradient.h"
#include "core/ops/arithmetic.h"
#include "core/ops/math.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"

namespace tandem {
namespace {

constexpr const char* kFloatingType = "T:type{half,bfloat16,float,double}";

absl::Status InferSoftmax(InferContext& c) {
  ASSIGN_OR_RETURN(Shape logits, c.InputOfRankAtLeast(0, 1));
  return c.Output(std::move(logits));
}

// y (dy - sum(dy y)) along rows: the Jacobian diag(y) - y yᵀ.
Tensor SoftmaxBackward(const Tensor& y, const Tensor& dy) {
  return Mul(Sub(dy, Sum(Mul(dy, y), -1, {.keep_dims = true})), y);
}

Tensors SoftmaxGradient(const Recorded& op, const Tensor& dy) { return {SoftmaxBackward(op.output(0), dy)}; }

Tensors LogSoftmaxGradient(const Recorded& op, const Tensor& dy) {
  return {Sub(dy, Mul(Exp(op.output(0)), Sum(dy, -1, {.keep_dims = true})))};
}

absl::Status InferCrossEntropy(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape features, c.InputOfRank(0, 2));
  ASSIGN_OR_RETURN(const Shape labels, c.InputOfRank(1, 2));
  std::optional<Shape> both = BroadcastShapes(features, labels);
  if (!both) return c.Error("shapes do not broadcast: ", c.Describe(0), ", ", c.Describe(1));
  RETURN_IF_ERROR(c.Output(0, {(*both)[0]}));
  return c.Output(1, *std::move(both));
}

absl::Status InferSparseCrossEntropy(InferContext& c) {
  ASSIGN_OR_RETURN(Shape features, c.InputOfRank(0, 2));
  ASSIGN_OR_RETURN(const Shape labels, c.InputOfRank(1, 1));
  if (!Compatible(features[0], labels[0])) return c.Differ("batch sizes", 0, 0, 1, 0);
  if (features[0] < 0) features[0] = labels[0];
  RETURN_IF_ERROR(c.Output(0, {features[0]}));
  return c.Output(1, std::move(features));
}

// Whether a gradient is zeros that stand for none: such a one costs no second softmax.
bool IsZero(const Tensor& d) {
  if (d.symbolic() || !d.rep()->on_host()) return false;  // a device is not asked
  const auto* bytes = d.rep()->as<char>();
  return std::all_of(bytes, bytes + d.rep()->bytes(), [](char b) { return b == 0; });
}

// Output 1 is the derivative of output 0, kept by the op; its own derivative is softmax's.
Tensor FeaturesGradient(const Recorded& op, const Tensor& dloss, const Tensor& dbackprop) {
  const Tensor d = Mul(ExpandDims(dloss, -1), op.output(1));
  return !op.arrived(1) || IsZero(dbackprop) ? d : Add(d, SoftmaxBackward(Softmax(op.input(0)), dbackprop));
}

Tensors CrossEntropyGradient(const Recorded& op, std::span<const Tensor> dy) {
  Tensor labels;
  if (op.needs(1)) {
    labels = Neg(Mul(ExpandDims(dy[0], -1), LogSoftmax(op.input(0))));
    if (op.arrived(1) && !IsZero(dy[1])) labels = Sub(labels, dy[1]);
    labels = ReduceToInput(op, 1, labels);
  }
  return {ReduceToInput(op, 0, FeaturesGradient(op, dy[0], dy[1])), labels};
}

Tensors SparseCrossEntropyGradient(const Recorded& op, std::span<const Tensor> dy) {
  return {FeaturesGradient(op, dy[0], dy[1]), Tensor()};
}

}  // namespace

OpSchema SoftmaxSchema() {
  return OpSchema("Softmax", "exp(logits) along the last axis, scaled so that it sums to 1.")
      .Signature("logits:T", "softmax:T", kFloatingType)
      .Infer(InferSoftmax).Gradient(SoftmaxGradient).GradientReads("softmax");
}
OpSchema LogSoftmaxSchema() {
  return OpSchema("LogSoftmax", "The logarithm of the softmax along the last axis.")
      .Signature("logits:T", "logsoftmax:T", kFloatingType)
      .Infer(InferSoftmax).Gradient(LogSoftmaxGradient).GradientReads("logsoftmax");
}
OpSchema SoftmaxCrossEntropyWithLogitsSchema() {
  return OpSchema("SoftmaxCrossEntropyWithLogits", "The cross-entropy of label distributions and softmax(features), row by row, and its derivative.")
      .Signature("features:T, labels:T", "loss:T, backprop:T", kFloatingType)
      .Infer(InferCrossEntropy).Gradient(CrossEntropyGradient).GradientReads("features, backprop");
}
OpSchema SparseSoftmaxCrossEntropyWithLogitsSchema() {
  return OpSchema("SparseSoftmaxCrossEntropyWithLogits", "The cross-entropy of class numbers and softmax(features), row by row, and its derivative.")
      .Signature("features:T, labels:Tlabels", "loss:T, backprop:T", "T:type{half,bfloat16,float,double}; Tlabels:type=int64{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferSparseCrossEntropy).Gradient(SparseCrossEntropyGradient).GradientReads("features, backprop");
}

Tensor Softmax(Operand logits) { return Run(Op<"Softmax">(), {logits}, {}, logits.origin()); }
Tensor LogSoftmax(Operand logits) { return Run(Op<"LogSoftmax">(), {logits}, {}, logits.origin()); }

CrossEntropy SoftmaxCrossEntropyWithLogits(const Tensor& features, const Tensor& labels, Origin origin) {
  const Tensor inputs[] = {features, labels};
  Tensors out = RunMany(Op<"SoftmaxCrossEntropyWithLogits">(), inputs, {}, origin);
  return {std::move(out[0]), std::move(out[1])};
}
CrossEntropy SparseSoftmaxCrossEntropyWithLogits(const Tensor& features, const Tensor& labels, Origin origin) {
  const Tensor inputs[] = {features, labels};
  Tensors out = RunMany(Op<"SparseSoftmaxCrossEntropyWithLogits">(), inputs, {}, origin);
  return {std::move(out[0]), std::move(out[1])};
}

}  // namespace tandem
