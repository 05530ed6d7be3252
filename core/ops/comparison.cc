#include "core/ops/comparison.h"

#include "core/ops/broadcast_gradient.h"
#include "core/ops/likeness.h"

namespace tandem {
namespace {

constexpr const char* kOrdered = "T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64}";
constexpr const char* kTruth = "values are bools";

// With incompatible_shape_error = false, shapes that do not broadcast are unequal: one false (NotEqual: true).
absl::Status InferEqual(InferContext& c) {
  if (c.attr<bool>("incompatible_shape_error")) return InferBroadcast(c);
  const auto shape = BroadcastShapes(c.input(0), c.input(1));
  if (!shape) return c.Output({});
  const bool known = c.input(0).fully_known() && c.input(1).fully_known();
  return c.Output(known ? *shape : Shape::Unknown());
}

// Selects the upstream; multiplying it by a mask would let a NaN through.
Tensors SelectGradient(const Recorded& op, const Tensor& dy) {
  const Tensor& condition = op.input(0);
  const Tensor zero = ZerosLike(dy);
  return {Tensor(), BroadcastGradient(op, 1, [&] { return Select(condition, dy, zero); }),
          BroadcastGradient(op, 2, [&] { return Select(condition, zero, dy); })};
}

}  // namespace

OpSchema EqualSchema() {
  return OpSchema("Equal", "Whether x and y are equal, element by element.")
      .Signature("x:T, y:T", "z:bool", "T:type; incompatible_shape_error:bool=true")
      .Traits(kElementwise | kCommutative).Infer(InferEqual).NotDifferentiable(kTruth);
}
OpSchema NotEqualSchema() {
  return OpSchema("NotEqual", "Whether x and y differ, element by element.")
      .Signature("x:T, y:T", "z:bool", "T:type; incompatible_shape_error:bool=true")
      .Traits(kElementwise | kCommutative).Infer(InferEqual).NotDifferentiable(kTruth);
}
OpSchema LessSchema() {
  return OpSchema("Less", "Whether x < y, element by element.")
      .Signature("x:T, y:T", "z:bool", kOrdered).Traits(kElementwise).Infer(InferBroadcast).NotDifferentiable(kTruth);
}
OpSchema LessEqualSchema() {
  return OpSchema("LessEqual", "Whether x <= y, element by element.")
      .Signature("x:T, y:T", "z:bool", kOrdered).Traits(kElementwise).Infer(InferBroadcast).NotDifferentiable(kTruth);
}
OpSchema GreaterSchema() {
  return OpSchema("Greater", "Whether x > y, element by element.")
      .Signature("x:T, y:T", "z:bool", kOrdered).Traits(kElementwise).Infer(InferBroadcast).NotDifferentiable(kTruth);
}
OpSchema GreaterEqualSchema() {
  return OpSchema("GreaterEqual", "Whether x >= y, element by element.")
      .Signature("x:T, y:T", "z:bool", kOrdered).Traits(kElementwise).Infer(InferBroadcast).NotDifferentiable(kTruth);
}
OpSchema LogicalAndSchema() {
  return OpSchema("LogicalAnd", "x and y, element by element.")
      .Signature("x:bool, y:bool", "z:bool").Traits(kElementwise | kCommutative | kSameShape)
      .Infer(InferBroadcast).NotDifferentiable(kTruth);
}
OpSchema LogicalOrSchema() {
  return OpSchema("LogicalOr", "x or y, element by element.")
      .Signature("x:bool, y:bool", "z:bool").Traits(kElementwise | kCommutative | kSameShape)
      .Infer(InferBroadcast).NotDifferentiable(kTruth);
}
OpSchema LogicalNotSchema() {
  return OpSchema("LogicalNot", "Not x, element by element.")
      .Signature("x:bool", "y:bool").Traits(kElementwise | kSameShape).Infer(InferSameAsInput).NotDifferentiable(kTruth);
}
OpSchema SelectV2Schema() {
  return OpSchema("SelectV2", "t where condition holds, else e; all three broadcast together.")
      .Signature("condition:bool, t:T, e:T", "output:T", "T:type").Traits(kElementwise)
      .Infer(InferBroadcast).Gradient(SelectGradient).GradientReads("condition");
}

Tensor Equal(Operand x, Operand y) { return Run(Op<"Equal">(), {x, y}, {true}, x.origin()); }
Tensor NotEqual(Operand x, Operand y) { return Run(Op<"NotEqual">(), {x, y}, {true}, x.origin()); }
Tensor Less(Operand x, Operand y) { return Run(Op<"Less">(), {x, y}, {}, x.origin()); }
Tensor LessEqual(Operand x, Operand y) { return Run(Op<"LessEqual">(), {x, y}, {}, x.origin()); }
Tensor Greater(Operand x, Operand y) { return Run(Op<"Greater">(), {x, y}, {}, x.origin()); }
Tensor GreaterEqual(Operand x, Operand y) { return Run(Op<"GreaterEqual">(), {x, y}, {}, x.origin()); }
Tensor LogicalAnd(Operand x, Operand y) { return Run(Op<"LogicalAnd">(), {x, y}, {}, x.origin()); }
Tensor LogicalOr(Operand x, Operand y) { return Run(Op<"LogicalOr">(), {x, y}, {}, x.origin()); }
Tensor LogicalNot(Operand x) { return Run(Op<"LogicalNot">(), {x}, {}, x.origin()); }
Tensor Select(Operand condition, Operand t, Operand e) { return Run(Op<"SelectV2">(), {condition, t, e}, {}, condition.origin()); }

Tensor operator==(Operand x, Operand y) { return Equal(x, y); }
Tensor operator!=(Operand x, Operand y) { return NotEqual(x, y); }
Tensor operator<(Operand x, Operand y) { return Less(x, y); }
Tensor operator<=(Operand x, Operand y) { return LessEqual(x, y); }
Tensor operator>(Operand x, Operand y) { return Greater(x, y); }
Tensor operator>=(Operand x, Operand y) { return GreaterEqual(x, y); }

}  // namespace tandem
