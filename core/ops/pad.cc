#include "core/ops/pad.h"

#include "core/int_values.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/ops/slice.h"

namespace tandem {
namespace {

// The rank that input 0 and paddings [rank, 2] agree on; -1 when neither is known.
absl::StatusOr<int> PaddedRank(const InferContext& c) {
  ASSIGN_OR_RETURN(Shape paddings, c.InputOfRank(1, 2));
  if (!Compatible(paddings[1], 2)) return c.Error("paddings must be [rank, 2], is ", paddings.ToString());
  if (paddings[0] > kMaxRank) return c.Error(c.Describe(1), ", the largest rank is ", kMaxRank);
  if (c.rank(0) >= 0 && !Compatible(paddings[0], c.rank(0))) return c.Error(c.Describe(1), ", must be [", c.rank(0), ",2]: ", c.Describe(0));
  return c.rank(0) >= 0 ? c.rank(0) : static_cast<int>(paddings[0]);
}

// The output's shape; size(axis, dim, before, after) says how large an axis becomes.
template <class Size>
absl::Status InferPadded(InferContext& c, Size&& size) {
  ASSIGN_OR_RETURN(const int rank, PaddedRank(c));
  if (rank < 0) return absl::OkStatus();
  Shape out;
  for (int k = 0; k < rank; ++k) {
    out.push_back(kUnknownDim);
    if (!c.value(1)) continue;
    const int64_t pad[] = {IntValue(*c.value(1), 2 * k), IntValue(*c.value(1), 2 * k + 1)};
    for (int side = 0; side < 2; ++side)
      if (pad[side] < 0) return c.Error("paddings[", k, ",", side, "] is ", pad[side], ", must not be negative");
    if (c.rank(0) < 0 || c.dim(0, k) < 0) continue;
    ASSIGN_OR_RETURN(out[k], size(k, c.dim(0, k), pad[0], pad[1]));
  }
  RETURN_IF_ERROR(CheckSize(c, out));
  return c.Output(std::move(out));
}

absl::StatusOr<int64_t> PaddedSize(const InferContext& c, int axis, int64_t dim, int64_t before, int64_t after) {
  int64_t sum;
  if (__builtin_add_overflow(dim, before, &sum) || __builtin_add_overflow(sum, after, &sum))
    return c.Error("dimension ", axis, " of the output would exceed 2^63 - 1: ", before, " + ", dim, " + ", after);
  return sum;
}

absl::Status InferPad(InferContext& c) {
  if (c.num_inputs() == 3) RETURN_IF_ERROR(c.InputOfRank(2, 0).status());
  return InferPadded(c, [&](int k, int64_t dim, int64_t before, int64_t after) { return PaddedSize(c, k, dim, before, after); });
}

// Neither side may take more than dim - 1 (REFLECT) or dim (SYMMETRIC) elements.
absl::Status CheckMirror(const InferContext& c, int axis, int64_t dim, int64_t before, int64_t after) {
  const bool reflect = c.attr<std::string_view>("mode") == "REFLECT";
  const int64_t most = reflect ? dim - 1 : dim;
  for (int side = 0; side < 2; ++side)
    if (const int64_t pad = side ? after : before; pad > std::max<int64_t>(most, 0))
      return c.Error("paddings[", axis, ",", side, "] is ", pad, ", must be at most ", std::max<int64_t>(most, 0), " in mode ",
                     reflect ? "REFLECT" : "SYMMETRIC", " on a dimension of ", dim);
  return absl::OkStatus();
}

absl::Status InferMirrorPad(InferContext& c) {
  return InferPadded(c, [&](int k, int64_t dim, int64_t before, int64_t after) -> absl::StatusOr<int64_t> {
    RETURN_IF_ERROR(CheckMirror(c, k, dim, before, after));
    return PaddedSize(c, k, dim, before, after);
  });
}

absl::Status InferMirrorPadGrad(InferContext& c) {
  return InferPadded(c, [&](int k, int64_t padded, int64_t before, int64_t after) -> absl::StatusOr<int64_t> {
    if (before > padded || after > padded - before)
      return c.Error("paddings[", k, "] are ", before, " and ", after, ", more than the whole of ", c.Describe(0, k));
    const int64_t dim = padded - before - after;
    RETURN_IF_ERROR(CheckMirror(c, k, dim, before, after));
    return dim;
  });
}

// The part of dy that came from x.
Tensor Unpadded(const Recorded& op, const Tensor& dy) {
  const Tensor& paddings = op.input(1);
  const Tensor before = Reshape(Slice(paddings, {0, 0}, {-1, 1}), -1);
  return Slice(dy, before, ShapeOfInput(op, 0, paddings.dtype()));
}

Tensors PadGradient(const Recorded& op, const Tensor& dy) { return {Unpadded(op, dy), Tensor()}; }

// As in TensorFlow, the padding value is a constant.
Tensors PadV2Gradient(const Recorded& op, const Tensor& dy) { return {Unpadded(op, dy), Tensor(), Tensor()}; }

Tensors MirrorPadGradient(const Recorded& op, const Tensor& dy) {
  return {MirrorPadGrad(dy, op.input(1), op.attr<std::string_view>("mode")), Tensor()};
}
Tensors MirrorPadGradGradient(const Recorded& op, const Tensor& dy) {
  return {MirrorPad(dy, op.input(1), op.attr<std::string_view>("mode")), Tensor()};
}

constexpr const char* kMirrorAttrs = "T:type; Tpaddings:type=int32{int32,int64}; mode:string{\"REFLECT\",\"SYMMETRIC\"}";

}  // namespace

OpSchema PadSchema() {
  return OpSchema("Pad", "The input with zeros around: paddings[k] elements before and after it along axis k.")
      .Signature("input:T, paddings:Tpaddings", "output:T", "T:type; Tpaddings:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferPad).Gradient(PadGradient).GradientReads("paddings");
}
OpSchema PadV2Schema() {
  return OpSchema("PadV2", "The input with constant_values around: paddings[k] elements before and after it along axis k.")
      .Signature("input:T, paddings:Tpaddings, constant_values:T", "output:T", "T:type; Tpaddings:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferPad).Gradient(PadV2Gradient).GradientReads("paddings");
}
OpSchema MirrorPadSchema() {
  return OpSchema("MirrorPad", "The input with its own elements around, mirrored about the edge element (REFLECT) or the edge (SYMMETRIC).")
      .Signature("input:T, paddings:Tpaddings", "output:T", kMirrorAttrs)
      .Traits(kMayFail)
      .Infer(InferMirrorPad).Gradient(MirrorPadGradient).GradientReads("paddings");
}
OpSchema MirrorPadGradSchema() {
  return OpSchema("MirrorPadGrad", "The gradient of MirrorPad: every padded element is added to the one it mirrors.")
      .Signature("input:T, paddings:Tpaddings", "output:T", kMirrorAttrs)
      .Traits(kMayFail)
      .Infer(InferMirrorPadGrad).Gradient(MirrorPadGradGradient).GradientReads("paddings");
}

Tensor Pad(const Tensor& x, const Tensor& paddings, Origin origin) { return Run(Op<"Pad">(), {x, paddings}, {}, origin); }
Tensor PadV2(const Tensor& x, const Tensor& paddings, Operand value, Origin origin) {
  return Run(Op<"PadV2">(), {x, paddings, value}, {}, origin);
}
Tensor MirrorPad(const Tensor& x, const Tensor& paddings, std::string_view mode, Origin origin) {
  return Run(Op<"MirrorPad">(), {x, paddings}, {mode}, origin);
}
Tensor MirrorPadGrad(const Tensor& dy, const Tensor& paddings, std::string_view mode, Origin origin) {
  return Run(Op<"MirrorPadGrad">(), {dy, paddings}, {mode}, origin);
}

}  // namespace tandem
