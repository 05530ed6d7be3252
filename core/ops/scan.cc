#include "core/ops/scan.h"

#include "core/gradient.h"
#include "core/ops/math.h"
#include "core/ops/pad.h"
#include "core/ops/slice.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

absl::Status InferScan(InferContext& c) {
  RETURN_IF_ERROR(c.InputOfRank(1, 0).status());
  ASSIGN_OR_RETURN(const auto axis, c.ScalarInt(1));
  if (axis && c.rank(0) >= 0) RETURN_IF_ERROR(c.Axis(*axis, c.rank(0)).status());
  return c.Output(c.input(0));
}

Tensors CumSumGradient(const Recorded& op, const Tensor& dy) {
  return {CumSum(dy, op.input(1), {op.attr<bool>("exclusive"), !op.attr<bool>("reverse")}), Tensor()};
}

// x moved d places against the direction of a scan along axis: place j gets x[j + d], 0 where there is none.
Tensor Shifted(const Tensor& x, int axis, int64_t d, bool reverse) {
  const Shape shape = x.shape();
  const auto rank = static_cast<size_t>(shape.rank());
  std::vector<int64_t> begin(rank, 0), size(rank, -1);
  std::vector<int32_t> paddings(2 * rank, 0);
  if (reverse) {
    size[axis] = shape[axis] - d;
    paddings[2 * axis] = static_cast<int32_t>(d);
  } else {
    begin[axis] = d;
    paddings[2 * axis + 1] = static_cast<int32_t>(d);
  }
  return Pad(Slice(x, begin, size), Tensor::FromData<int32_t>({shape.rank(), 2}, paddings));
}

// With P the exclusive product up to place j and S_j the sum over later places k of dy_k times the product between j and
// k, dx_j = P_j S_j. S is the recurrence S_j = b_j + a_j S_{j+1}, composed here in log2(n) doublings of products and
// sums, so nothing is divided and every order of derivative is right at zeros.
Tensors CumProdGradient(const Recorded& op, const Tensor& dy) {
  const Tensor x = Conj(op.input(0));
  const bool exclusive = op.attr<bool>("exclusive"), reverse = op.attr<bool>("reverse");
  const Shape shape = x.shape();
  const Tensor known = KnownValue(op.input(1));
  if (!known.defined() || !shape.known_rank())
    ThrowError(InvalidArgument("Cumprod: its gradient needs the axis and the rank of x to be known"));
  const auto asked = known.item<int64_t>();
  const auto axis = static_cast<int>(asked < 0 ? asked + shape.rank() : asked);
  if (shape[axis] < 0) ThrowError(InvalidArgument("Cumprod: its gradient needs the size of axis ", axis, " to be known, x is ", shape.ToString()));
  if (shape[axis] == 0) return {dy, Tensor()};
  Tensor a = exclusive ? x : Shifted(x, axis, 1, reverse);
  Tensor b = dy;
  for (int64_t d = 1; d < shape[axis]; d *= 2) {
    b = Add(b, Mul(a, Shifted(b, axis, d, reverse)));
    a = Mul(a, Shifted(a, axis, d, reverse));
  }
  if (exclusive) b = Shifted(b, axis, 1, reverse);
  return {Mul(CumProd(x, op.input(1), {.exclusive = true, .reverse = reverse}), b), Tensor()};
}

constexpr const char* kAttrs =
    "exclusive:bool=false; reverse:bool=false; T:type{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64}; Tidx:type=int32{int32,int64}";

}  // namespace

OpSchema CumsumSchema() {
  return OpSchema("Cumsum", "The running sum along an axis.")
      .Signature("x:T, axis:Tidx", "out:T", kAttrs)
      .Traits(kMayFail)
      .Infer(InferScan).Gradient(CumSumGradient).GradientReads("axis");
}
OpSchema CumprodSchema() {
  return OpSchema("Cumprod", "The running product along an axis.")
      .Signature("x:T, axis:Tidx", "out:T", kAttrs)
      .Traits(kMayFail)
      .Infer(InferScan).Gradient(CumProdGradient).GradientReads("x, axis");
}

Tensor CumSum(Operand x, const Tensor& axis, ScanOptions options) {
  return Run(Op<"Cumsum">(), {x, axis}, {options.exclusive, options.reverse}, x.origin());
}
Tensor CumProd(Operand x, const Tensor& axis, ScanOptions options) {
  return Run(Op<"Cumprod">(), {x, axis}, {options.exclusive, options.reverse}, x.origin());
}

}  // namespace tandem
