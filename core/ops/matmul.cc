#include "core/ops/matmul.h"

#include "core/gradient.h"
#include "core/ops/math.h"

namespace tandem {
namespace {

absl::Status InferMatMul(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape a, c.InputOfRank(0, 2));
  ASSIGN_OR_RETURN(const Shape b, c.InputOfRank(1, 2));
  const int ta = c.attr<bool>("transpose_a"), tb = c.attr<bool>("transpose_b");
  if (!Compatible(a[1 - ta], b[tb])) return c.Differ("inner dimensions", 0, 1 - ta, 1, tb);
  return c.Output({a[ta], b[1 - tb]});
}

// x without its last two axes.
Shape BatchOf(const Shape& x) {
  return x.known_rank() ? Shape(x.dims().first(static_cast<size_t>(x.rank() - 2))) : Shape::Unknown();
}

absl::Status InferBatchMatMul(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape x, c.InputOfRankAtLeast(0, 2));
  ASSIGN_OR_RETURN(const Shape y, c.InputOfRankAtLeast(1, 2));
  const bool ax = c.attr<bool>("adj_x"), ay = c.attr<bool>("adj_y");
  if (x.known_rank() && y.known_rank()) {
    const int x_inner = x.rank() - (ax ? 2 : 1), y_inner = y.rank() - (ay ? 1 : 2);
    if (!Compatible(x[x_inner], y[y_inner])) return c.Differ("inner dimensions", 0, x_inner, 1, y_inner);
  }
  std::optional<Shape> out = BroadcastShapes(BatchOf(x), BatchOf(y));
  if (!out) return c.Error("batch dimensions do not broadcast: ", c.Describe(0), ", ", c.Describe(1));
  if (!out->known_rank()) return c.Output(Shape::Unknown());
  out->push_back(x[x.rank() - (ax ? 1 : 2)]);
  out->push_back(y[y.rank() - (ay ? 2 : 1)]);
  return c.Output(*std::move(out));
}

// dA = dY Bᴴ, dB = Aᴴ dY; an operand that was read transposed gets its gradient transposed.
Tensors MatMulGradient(const Recorded& op, const Tensor& dy) {
  const Tensor a = Conj(op.input(0)), b = Conj(op.input(1));  // the same tensor unless complex
  const bool ta = op.attr<bool>("transpose_a"), tb = op.attr<bool>("transpose_b");
  return {ta ? MatMul(b, dy, {.transpose_a = tb, .transpose_b = true}) : MatMul(dy, b, {.transpose_b = !tb}),
          tb ? MatMul(dy, a, {.transpose_a = true, .transpose_b = ta}) : MatMul(a, dy, {.transpose_a = !ta})};
}

// The same with adjoints, which conjugate by themselves: an operand that was not read as adjoint is conjugated by the
// product that reads it so, the other is not. What was broadcast is summed.
Tensors BatchMatMulGradient(const Recorded& op, const Tensor& dy) {
  const Tensor& x = op.input(0);
  const Tensor& y = op.input(1);
  const bool ax = op.attr<bool>("adj_x"), ay = op.attr<bool>("adj_y");
  const Tensor dx = ax ? BatchMatMul(y, dy, {.adj_x = ay, .adj_y = true}) : BatchMatMul(dy, y, {.adj_y = !ay});
  const Tensor dw = ay ? BatchMatMul(dy, x, {.adj_x = true, .adj_y = ax}) : BatchMatMul(x, dy, {.adj_x = !ax});
  return {ReduceToInput(op, 0, dx), ReduceToInput(op, 1, dw)};
}

}  // namespace

OpSchema MatMulSchema() {
  return OpSchema("MatMul", "The product of the matrices a and b, each transposed first where asked for.")
      .Signature("a:T, b:T", "product:T",
                 "transpose_a:bool=false; transpose_b:bool=false; "
                 "T:type{bfloat16,half,float,double,int32,int64,uint8,uint16,uint32,uint64,complex64,complex128}; "
                 "grad_a:bool=false; grad_b:bool=false")
      .Infer(InferMatMul).Gradient(MatMulGradient).GradientReads("a, b");
}

OpSchema BatchMatMulV2Schema() {
  return OpSchema("BatchMatMulV2", "Products of the matrices in the last two axes of x and y; the axes before broadcast.")
      .Signature("x:T, y:T", "output:T",
                 "T:type{bfloat16,half,float,double,int16,int32,int64,uint8,uint16,uint32,uint64,complex64,complex128}; "
                 "adj_x:bool=false; adj_y:bool=false; grad_x:bool=false; grad_y:bool=false")
      .Infer(InferBatchMatMul).Gradient(BatchMatMulGradient).GradientReads("x, y");
}

Tensor MatMul(Operand a, Operand b, MatMulOptions options) {
  return Run(Op<"MatMul">(), {a, b}, {options.transpose_a, options.transpose_b, false, false}, a.origin());
}

Tensor BatchMatMul(Operand x, Operand y, BatchMatMulOptions options) {
  return Run(Op<"BatchMatMulV2">(), {x, y}, {options.adj_x, options.adj_y, false, false}, x.origin());
}

}  // namespace tandem
