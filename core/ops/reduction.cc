#include "core/ops/reduction.h"

#include <numeric>

#include "core/gradient.h"
#include "core/int_values.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/fill.h"
#include "core/ops/math.h"
#include "core/ops/reduction_axes.h"
#include "core/ops/reshape.h"
#include "core/ops/scan.h"
#include "core/ops/shape_value.h"
#include "core/ops/tile.h"
#include "core/ops/transpose.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

absl::Status InferReduction(InferContext& c) {
  if (c.rank(1) > 1) return c.Error("reduction_indices must be a scalar or a vector, is ", c.input(1).ToString());
  if (c.rank(0) < 0) return c.Output(Shape::Unknown());
  const bool keep_dims = c.attr<bool>("keep_dims");
  const auto axes = c.IntValues(1);
  if (!axes) {
    if (!keep_dims) return c.Output(c.rank(0) == 0 ? Shape() : Shape::Unknown());
    Shape out;
    for (int i = 0; i < c.rank(0); ++i) out.push_back(kUnknownDim);
    return c.Output(std::move(out));
  }
  ASSIGN_OR_RETURN(const AxisMask reduced, ReductionAxes(c.schema().name(), "reduction_indices", *axes, c.dims(0)));
  Shape out;
  for (int i = 0; i < c.rank(0); ++i)
    if (!reduced[i] || keep_dims) out.push_back(reduced[i] ? 1 : c.dim(0, i));
  return c.Output(std::move(out));
}

// The axes of a recorded reduction where they are known; in a graph they may be computed.
std::optional<AxisMask> KnownAxes(const Recorded& op) {
  const Tensor axes = KnownValue(op.input(1));
  const Shape in = op.input_shape(0);
  if (!axes.defined() || !in.known_rank()) return std::nullopt;
  return ValueOrThrow(ReductionAxes(op.schema().name(), "reduction_indices", IntValues(*axes.rep()), in.dims()));
}

// The shape with reduced axes of size 1, where the axes are computed: shape * (1 - m) + m with m 1 at each of them.
Tensor ComputedKeptShape(const Recorded& op) {
  const Tensor shape = ShapeOf(op.input(0)), rank = Size(shape);
  const Tensor axes = FloorMod(Reshape(Cast(op.input(1), kInt32), {-1}), rank);
  const Tensor mask = Sum(OneHot(axes, rank, 1, 0), 0);
  return Add(Mul(shape, Sub(1, mask)), mask);
}

// A result (or its gradient) with the reduced axes put back, of size 1, so that it broadcasts against the input.
Tensor Kept(const Recorded& op, const Tensor& result) {
  if (op.attr<bool>("keep_dims") || result.rank() == 0) return result;
  const auto reduced = KnownAxes(op);
  if (!reduced) return Reshape(result, ComputedKeptShape(op));
  const Shape in = op.input_shape(0);
  if (in.fully_known()) {
    Shape kept = in;
    for (int i = 0; i < in.rank(); ++i)
      if ((*reduced)[i]) kept[i] = 1;
    return Reshape(result, kept);
  }
  Tensor kept = result;
  for (int i = 0; i < in.rank(); ++i)
    if ((*reduced)[i]) kept = ExpandDims(kept, i);
  return kept;
}

Tensors SumGradient(const Recorded& op, const Tensor& dy) { return {BroadcastTo(Kept(op, dy), ShapeOfInput(op, 0)), Tensor()}; }

// How many elements make one of the result's, as a scalar of dtype.
Tensor Count(const Recorded& op, DType dtype) {
  const Shape in = op.input_shape(0);
  const auto reduced = KnownAxes(op);
  int64_t count = reduced ? 1 : -1;
  for (int i = 0; reduced && i < in.rank() && count >= 0; ++i)
    if ((*reduced)[i]) count = in[i] < 0 ? -1 : count * in[i];
  if (count >= 0) return Cast(Tensor(count), dtype);
  return Cast(Div(Size(op.input(0), kInt64), Maximum(Size(op.output(0), kInt64), Tensor(int64_t{1}))), dtype);
}

Tensors MeanGradient(const Recorded& op, const Tensor& dy) {
  return {BroadcastTo(Kept(op, Div(dy, Count(op, dy.dtype()))), ShapeOfInput(op, 0)), Tensor()};
}

// Elements equal to the extreme share its gradient evenly.
Tensors ExtremeGradient(const Recorded& op, const Tensor& dy) {
  const Tensor ties = Cast(Equal(op.input(0), Kept(op, op.output(0))), dy.dtype());
  const Tensor shares = Kept(op, Div(dy, Sum(ties, op.input(1), {op.attr<bool>("keep_dims")})));
  return {Mul(ties, shares), Tensor()};
}

// dx_i = dy times the product of the others, as the products before and after i. Nothing is divided, and both are
// differentiable, so zeros are no special case in any order. The reduced axes become one, the first.
Tensors ProdGradient(const Recorded& op, const Tensor& dy) {
  const Shape in = op.input_shape(0);
  const auto reduced = KnownAxes(op);
  if (!reduced) ThrowError(InvalidArgument("Prod: its gradient needs reduction_indices and the rank of input to be known"));
  const Tensor x = Conj(op.input(0));
  std::vector<int64_t> order, inverse(in.rank());
  for (bool take : {true, false})
    for (int i = 0; i < in.rank(); ++i)
      if ((*reduced)[i] == take) order.push_back(i);
  for (int i = 0; i < in.rank(); ++i) inverse[order[i]] = i;
  int64_t count = 1;
  for (int i = 0; i < in.rank(); ++i)
    if ((*reduced)[i]) count = in[i] < 0 || count < 0 ? -1 : count * in[i];
  if (count < 0) ThrowError(InvalidArgument("Prod: its gradient needs the size of the reduced axes to be known, input is ", in.ToString()));
  if (count == 1) return {BroadcastTo(Kept(op, dy), ShapeOfInput(op, 0)), Tensor()};
  if (in.fully_known() && *in.num_elements() == 0) return {Mul(x, Kept(op, dy)), Tensor()};
  const Tensor moved = Transpose(x, order);
  const Tensor flat = Reshape(moved, {count, -1});
  const Tensor others = Mul(CumProd(flat, 0, {.exclusive = true}), CumProd(flat, 0, {.exclusive = true, .reverse = true}));
  const Tensor back = Transpose(Reshape(others, in.fully_known() ? Ints(moved.shape()) : Ints(ShapeOf(moved))), inverse);
  return {Mul(Kept(op, dy), back), Tensor()};
}

// What axes stand for when they are left out.
Tensor AllAxes(const Tensor& input) {
  if (input.rank() < 0) return Range(Rank(input));
  std::vector<int32_t> axes(static_cast<size_t>(input.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return Tensor(axes);
}

Tensor Reduce(OpId op, const Operand& input, const Tensor& axes, ReduceOptions options) {
  const Tensor x = ToTensor(input);
  return Run(op, {x, axes.defined() ? axes : AllAxes(x)}, {options.keep_dims}, input.origin());
}

constexpr const char* kNumbers =
    "keep_dims:bool=false; T:type{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64}; Tidx:type=int32{int32,int64}";
constexpr const char* kOrdered =
    "keep_dims:bool=false; T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8,quint8,qint32,qint16,quint16}; Tidx:type=int32{int32,int64}";

OpSchema Reduction(const char* name, const char* documentation, const char* attrs) {
  return OpSchema(name, documentation)
      .Signature("input:T, reduction_indices:Tidx", "output:T", attrs)
      .Traits(kMayFail)
      .Infer(InferReduction);
}
OpSchema Logical(const char* name, const char* documentation) {
  return OpSchema(name, documentation)
      .Signature("input:bool, reduction_indices:Tidx", "output:bool", "keep_dims:bool=false; Tidx:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferReduction).NotDifferentiable("truth values have no derivative");
}

Tensors L2LossGradient(const Recorded& op, const Tensor& dy) { return {Mul(op.input(0), dy)}; }

}  // namespace

OpSchema L2LossSchema() {
  return OpSchema("L2Loss", "Half the sum of the squares of all elements.")
      .Signature("t:T", "output:T", "T:type{half,bfloat16,float,double}")
      .Infer(InferScalar).Gradient(L2LossGradient).GradientReads("t");
}
OpSchema SumSchema() { return Reduction("Sum", "The sum along axes; integers wrap.", kNumbers).Gradient(SumGradient).GradientReads("reduction_indices"); }
OpSchema MeanSchema() { return Reduction("Mean", "The mean along axes; of integers, its whole part.", kNumbers).Gradient(MeanGradient).GradientReads("reduction_indices"); }
OpSchema ProdSchema() { return Reduction("Prod", "The product along axes; integers wrap.", kNumbers).Gradient(ProdGradient).GradientReads("input, reduction_indices"); }
OpSchema MaxSchema() { return Reduction("Max", "The greatest element along axes; NaN wins.", kOrdered).Gradient(ExtremeGradient).GradientReads("input, reduction_indices, output"); }
OpSchema MinSchema() { return Reduction("Min", "The least element along axes; NaN wins.", kOrdered).Gradient(ExtremeGradient).GradientReads("input, reduction_indices, output"); }
OpSchema AllSchema() { return Logical("All", "Whether all elements along axes are true."); }
OpSchema AnySchema() { return Logical("Any", "Whether any element along axes is true."); }

Tensor Sum(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Sum">(), input, axes, options); }
Tensor Mean(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Mean">(), input, axes, options); }
Tensor Prod(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Prod">(), input, axes, options); }
Tensor Max(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Max">(), input, axes, options); }
Tensor Min(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Min">(), input, axes, options); }
Tensor All(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"All">(), input, axes, options); }
Tensor Any(Operand input, const Tensor& axes, ReduceOptions options) { return Reduce(Op<"Any">(), input, axes, options); }
Tensor L2Loss(Operand t) { return Run(Op<"L2Loss">(), {t}, {}, t.origin()); }

}  // namespace tandem
