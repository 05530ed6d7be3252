#include "core/ops/arithmetic.h"

#include "core/ops/broadcast_gradient.h"
#include "core/ops/comparison.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"

namespace tandem {
namespace {

bool HoldsStrings(Operand x) { return x.kind() == Operand::Kind::kTensor && x.rep() && x.rep()->dtype == kString; }
[[gnu::noinline]] Tensor JoinStrings(Operand x, Operand y) { return Run(Op<"Add">(), {x, y}, {}, x.origin()); }

Tensors AddGradient(const Recorded& op, const Tensor& dy) { return {ReduceToInput(op, 0, dy), ReduceToInput(op, 1, dy)}; }

Tensors SubGradient(const Recorded& op, const Tensor& dy) { return {ReduceToInput(op, 0, dy), BroadcastGradient(op, 1, [&] { return -dy; })}; }

Tensors MulGradient(const Recorded& op, const Tensor& dy) {
  return {BroadcastGradient(op, 0, [&] { return dy * Conj(op.input(1)); }),
          BroadcastGradient(op, 1, [&] { return dy * Conj(op.input(0)); })};
}

// d|x - y|² = 2 Re(conj(x - y) (dx - dy)): the gradient of a real-valued function of complex numbers is 2 (x - y).
Tensors SquaredDifferenceGradient(const Recorded& op, const Tensor& dy) {
  const Tensor dx = 2 * dy * (op.input(0) - op.input(1));
  return {ReduceToInput(op, 0, dx), BroadcastGradient(op, 1, [&] { return -dx; })};
}

// Selects rather than multiplies by a mask, so that a NaN in dy stays where it is. x takes the ties.
Tensors SplitByMask(const Recorded& op, const Tensor& x_wins, const Tensor& dy) {
  const Tensor zero = ZerosLike(dy);
  return {BroadcastGradient(op, 0, [&] { return Select(x_wins, dy, zero); }),
          BroadcastGradient(op, 1, [&] { return Select(x_wins, zero, dy); })};
}
Tensors MaximumGradient(const Recorded& op, const Tensor& dy) {
  return SplitByMask(op, GreaterEqual(op.input(0), op.input(1)), dy);
}
Tensors MinimumGradient(const Recorded& op, const Tensor& dy) {
  return SplitByMask(op, LessEqual(op.input(0), op.input(1)), dy);
}

// 1 at the bounds themselves. Where min > max, both may hold: the value is min, whose gradient it is.
Tensors ClipByValueGradient(const Recorded& op, const Tensor& dy) {
  const Tensor below = Less(op.input(0), op.input(1)), above = Greater(op.input(0), op.input(2)), zero = ZerosLike(dy);
  return {BroadcastGradient(op, 0, [&] { return Select(LogicalOr(below, above), zero, dy); }),
          BroadcastGradient(op, 1, [&] { return Select(below, dy, zero); }),
          BroadcastGradient(op, 2, [&] { return Select(above, dy, zero); })};
}

absl::Status InferClip(InferContext& c) {
  RETURN_IF_ERROR(InferBroadcast(c));
  // The bounds are spread over t, never t over the bounds.
  const auto merged = c.outputs()[0].shape.MergedWith(c.input(0));
  if (!merged) return c.Error("the bounds do not broadcast to t: ", c.Describe(0), ", ", c.Describe(1), ", ", c.Describe(2));
  return c.Output(*merged);
}

Tensors AddNGradient(const Recorded& op, const Tensor& dy) { return Tensors(op.num_inputs(), dy); }

Tensors NegGradient(const Recorded&, const Tensor& dy) { return {-dy}; }
Tensors AbsGradient(const Recorded& op, const Tensor& dy) { return {dy * Sign(op.input(0))}; }
Tensors SignGradient(const Recorded&, const Tensor& dy) { return {ZerosLike(dy)}; }
Tensors SquareGradient(const Recorded& op, const Tensor& dy) { return {dy * (2 * Conj(op.input(0)))}; }

}  // namespace

OpSchema AddSchema() {
  return OpSchema("Add", "The sum of x and y, element by element; strings are joined. AddV2 is the same for numbers.")
      .Signature("x:T, y:T", "z:T", "T:type{bfloat16,half,float,double,uint8,int8,int16,int32,int64,complex64,complex128,string}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferBroadcast).Gradient(AddGradient).GradientReads("");
}
OpSchema AddV2Schema() {
  return OpSchema("AddV2", "The sum of x and y, element by element; shapes broadcast, integers wrap.")
      .Signature("x:T, y:T", "z:T",
                 "T:type{bfloat16,half,float,double,uint8,uint16,uint32,uint64,int8,int16,int32,int64,complex64,complex128}")
      .Traits(kElementwise | kCommutative | kSameShape)
      .Infer(InferBroadcast).Gradient(AddGradient).GradientReads("");
}
OpSchema SubSchema() {
  return OpSchema("Sub", "The difference x - y, element by element; shapes broadcast, integers wrap.")
      .Signature("x:T, y:T", "z:T",
                 "T:type{bfloat16,half,float,double,uint8,int8,uint16,int16,int32,int64,complex64,complex128,uint32,uint64}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferBroadcast).Gradient(SubGradient).GradientReads("");
}
OpSchema MulSchema() {
  return OpSchema("Mul", "The product of x and y, element by element; shapes broadcast, integers wrap.")
      .Signature("x:T, y:T", "z:T",
                 "T:type{bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,complex64,complex128}")
      .Traits(kElementwise | kCommutative | kSameShape)
      .Infer(InferBroadcast).Gradient(MulGradient).GradientReads("x, y");
}
OpSchema SquaredDifferenceSchema() {
  return OpSchema("SquaredDifference", "(x - y) * (x - y), element by element; for complex numbers conj(x - y) * (x - y).")
      .Signature("x:T, y:T", "z:T", "T:type{bfloat16,half,float,double,int32,int64,complex64,complex128}")
      .Traits(kElementwise | kCommutative | kSameShape)
      .Infer(InferBroadcast).Gradient(SquaredDifferenceGradient).GradientReads("x, y");
}
OpSchema MaximumSchema() {
  return OpSchema("Maximum", "The larger of x and y, element by element: NaN if either is, x if they are equal.")
      .Signature("x:T, y:T", "z:T", "T:type{bfloat16,half,float,double,int8,uint8,int16,uint16,int32,uint32,int64,uint64}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferBroadcast).Gradient(MaximumGradient).GradientReads("x, y");
}
OpSchema MinimumSchema() {
  return OpSchema("Minimum", "The smaller of x and y, element by element: NaN if either is, x if they are equal.")
      .Signature("x:T, y:T", "z:T", "T:type{bfloat16,half,float,double,int8,uint8,int16,uint16,int32,uint32,int64,uint64}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferBroadcast).Gradient(MinimumGradient).GradientReads("x, y");
}
OpSchema ClipByValueSchema() {
  return OpSchema("ClipByValue", "max(min(t, clip_value_max), clip_value_min), element by element; the bounds broadcast to t.")
      .Signature("t:T, clip_value_min:T, clip_value_max:T", "output:T",
                 "T:type{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,"
                 "complex128,half,uint32,uint64}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferClip).Gradient(ClipByValueGradient).GradientReads("t, clip_value_min, clip_value_max");
}
OpSchema AddNSchema() {
  return OpSchema("AddN", "The sum of tensors of one shape, added left to right.")
      .Signature("inputs:N*T", "sum:T",
                 "N:int>=1; T:type{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,"
                 "quint16,uint16,complex128,half,uint32,uint64,variant}")
      .Traits(kElementwise | kCommutative | kSameShape)
      .Infer(InferAllSame).Gradient(AddNGradient).GradientReads("");
}
OpSchema NegSchema() {
  return OpSchema("Neg", "-x, element by element; the least integer is its own negative.")
      .Signature("x:T", "y:T", "T:type{bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(NegGradient).GradientReads("");
}
OpSchema AbsSchema() {
  return OpSchema("Abs", "|x|, element by element; the least integer stays as it is.")
      .Signature("x:T", "y:T", "T:type{bfloat16,half,float,double,int8,int16,int32,int64}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(AbsGradient).GradientReads("x");
}
OpSchema SignSchema() {
  return OpSchema("Sign", "-1, 0 or 1 by the sign of x; NaN for NaN; x / |x| for complex numbers.")
      .Signature("x:T", "y:T", "T:type{bfloat16,half,float,double,int8,int16,int32,int64,complex64,complex128}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(SignGradient).GradientReads("");
}
OpSchema SquareSchema() {
  return OpSchema("Square", "x * x, element by element; integers wrap.")
      .Signature("x:T", "y:T",
                 "T:type{bfloat16,half,float,double,int8,int16,int32,int64,uint8,uint16,uint32,uint64,complex64,complex128}")
      .Traits(kElementwise | kSameShape)
      .Infer(InferSameAsInput).Gradient(SquareGradient).GradientReads("x");
}

Tensor Add(Operand x, Operand y) {
  if (HoldsStrings(x)) [[unlikely]] return JoinStrings(x, y);
  return Run(Op<"AddV2">(), {x, y}, {}, x.origin());
}
Tensor Sub(Operand x, Operand y) { return Run(Op<"Sub">(), {x, y}, {}, x.origin()); }
Tensor Mul(Operand x, Operand y) { return Run(Op<"Mul">(), {x, y}, {}, x.origin()); }
Tensor SquaredDifference(Operand x, Operand y) { return Run(Op<"SquaredDifference">(), {x, y}, {}, x.origin()); }
Tensor Maximum(Operand x, Operand y) { return Run(Op<"Maximum">(), {x, y}, {}, x.origin()); }
Tensor Minimum(Operand x, Operand y) { return Run(Op<"Minimum">(), {x, y}, {}, x.origin()); }
Tensor ClipByValue(Operand t, Operand clip_value_min, Operand clip_value_max) {
  return Run(Op<"ClipByValue">(), {t, clip_value_min, clip_value_max}, {}, t.origin());
}
Tensor AddN(std::span<const Tensor> inputs, Origin origin) { return RunList(Op<"AddN">(), inputs, {}, origin); }
Tensor Neg(Operand x) { return Run(Op<"Neg">(), {x}, {}, x.origin()); }
Tensor Abs(Operand x) { return Run(Op<"Abs">(), {x}, {}, x.origin()); }
Tensor Sign(Operand x) { return Run(Op<"Sign">(), {x}, {}, x.origin()); }
Tensor Square(Operand x) { return Run(Op<"Square">(), {x}, {}, x.origin()); }

Tensor operator+(Operand x, Operand y) { return Add(x, y); }
Tensor operator-(Operand x, Operand y) { return Sub(x, y); }
Tensor operator*(Operand x, Operand y) { return Mul(x, y); }
Tensor operator-(Operand x) { return Neg(x); }

}  // namespace tandem
