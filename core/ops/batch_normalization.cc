#include "core/ops/batch_normalization.h"

#include "core/gradient.h"
#include "core/ops/cast.h"
#include "core/ops/math.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/ops/tile.h"

namespace tandem {
namespace {

// x of the rank its format says, and where its channels are.
absl::StatusOr<int> ChannelAxis(const InferContext& c, int x) {
  const auto format = c.attr<std::string_view>("data_format");
  ASSIGN_OR_RETURN(const Shape shape, c.InputOfRank(x, static_cast<int>(format.size())));
  return format[1] == 'C' ? 1 : static_cast<int>(format.size()) - 1;
}

// Input i must be a vector as long as x has channels; or empty, where it is not read.
absl::Status CheckPerChannel(const InferContext& c, int i, int x, int axis, bool may_be_empty = false) {
  ASSIGN_OR_RETURN(const Shape v, c.InputOfRank(i, 1));
  if ((may_be_empty && v[0] == 0) || c.rank(x) < 0 || Compatible(v[0], c.dim(x, axis))) return absl::OkStatus();
  return c.Differ("channels", i, 0, x, axis);
}

absl::Status InferFusedBatchNorm(InferContext& c) {
  ASSIGN_OR_RETURN(const int axis, ChannelAxis(c, 0));
  const bool batch_only = c.attr<bool>("is_training") && c.attr<float>("exponential_avg_factor") == 1.0f;
  for (int i = 1; i < 5; ++i) RETURN_IF_ERROR(CheckPerChannel(c, i, 0, axis, batch_only && i >= 3));
  const int64_t channels = c.rank(0) < 0 ? (c.rank(1) < 0 ? kUnknownDim : c.dim(1, 0)) : c.dim(0, axis);
  for (int i = 1; i < 5; ++i) c.Output(i, {channels}).IgnoreError();
  c.Output(5, {0}).IgnoreError();
  return c.Output(c.input(0));
}

absl::Status InferFusedBatchNormGrad(InferContext& c) {
  ASSIGN_OR_RETURN(const int axis, ChannelAxis(c, 1));
  const std::optional<Shape> x = c.input(1).MergedWith(c.input(0));
  if (!x) return c.Error("shapes differ: ", c.Describe(0), ", ", c.Describe(1));
  for (int i = 2; i < 5; ++i) RETURN_IF_ERROR(CheckPerChannel(c, i, 1, axis));
  const int64_t channels = x->known_rank() ? (*x)[axis] : kUnknownDim;
  c.Output(1, {channels}).IgnoreError();
  c.Output(2, {channels}).IgnoreError();
  c.Output(3, {0}).IgnoreError();
  c.Output(4, {0}).IgnoreError();
  return c.Output(*x);
}

// Through y alone: the batch's mean and variance as results are not differentiated, nor are mean and variance as inputs.
Tensors FusedBatchNormGradient(const Recorded& op, std::span<const Tensor> dy) {
  if (!dy[0].defined()) return Tensors(5);
  const bool training = op.attr<bool>("is_training");
  const Tensor empty = Tensor(std::vector<float>());
  const Tensors inputs = {dy[0], op.input(0), op.input(1), training ? op.output(3) : op.input(3), training ? op.output(4) : op.input(4), empty};
  const Tensors grads = RunMany(Op<"FusedBatchNormGradV3">(), inputs,
                                {op.attr<float>("epsilon"), op.attr<std::string_view>("data_format"), training}, op.origin());
  return {grads[0], grads[1], grads[2], Tensor(), Tensor()};
}

// a + b where either may be missing.
Tensor Plus(const Tensor& a, const Tensor& b) { return !a.defined() ? b : b.defined() ? a + b : a; }

// With xh = (x - mean) r, r = 1/sqrt(variance + epsilon) and P(v) = v - mean(v) - xh mean(v xh), the first derivatives are
// dx = scale r P(dy), dscale = sum(dy xh), doffset = sum(dy). Given gx, gs, go for them, and mean and variance being x's own,
//   by dy:    scale r P(gx) + gs xh + go
//   by scale: sum(r gx P(dy))
//   by x:     r P(A) - scale r^2 mean(gx P(dy)) xh,   A = gs dy - scale r (gx mean(dy xh) + dy mean(gx xh)).
// In inference mean and variance are constants: P is the identity and only xh depends on x.
Tensors FusedBatchNormGradGradient(const Recorded& op, std::span<const Tensor> g) {
  Tensors result(6);
  if (!g[0].defined() && !g[1].defined() && !g[2].defined()) return result;
  const auto format = op.attr<std::string_view>("data_format");
  const bool training = op.attr<bool>("is_training"), first = format[1] == 'C';
  const DType dtype = op.input_dtype(1);
  std::vector<int32_t> others;  // all axes but the channels'
  for (int axis = 0; axis < static_cast<int>(format.size()); ++axis)
    if (axis != (first ? 1 : static_cast<int>(format.size()) - 1)) others.push_back(axis);
  const Tensor axes = others;
  const auto wide = [&](const Tensor& t) { return t.defined() && t.dtype() != kFloat32 ? Cast(t, kFloat32) : t; };
  const auto channel = [&](const Tensor& v) {
    if (!first || !v.defined()) return v;
    return format.size() == 4 ? Reshape(v, {-1, 1, 1}) : Reshape(v, {-1, 1, 1, 1});
  };
  const auto mean = [&](const Tensor& t) { return Mean(t, axes, {.keep_dims = true}); };
  const Tensor dy = wide(op.input(0)), x = wide(op.input(1)), gx = wide(g[0]);
  const Tensor scale = channel(op.input(2)), gs = channel(g[1]), go = channel(g[2]);
  const Tensor r = Rsqrt(channel(op.input(4)) + op.attr<float>("epsilon"));
  const Tensor xh = (x - channel(op.input(3))) * r;
  const auto project = [&](const Tensor& v) { return training ? v - mean(v) - xh * mean(v * xh) : v; };

  Tensor by_dy = gs.defined() ? gs * xh : Tensor();
  if (go.defined()) by_dy = by_dy.defined() ? by_dy + go : BroadcastTo(go, ShapeOfInput(op, 0));
  Tensor by_xh = gs.defined() ? gs * dy : Tensor();
  if (gx.defined()) {
    by_dy = Plus(by_dy, scale * r * project(gx));
    result[2] = Sum(r * gx * project(dy), axes);
    if (training) by_xh = Plus(by_xh, -(scale * r * (gx * mean(dy * xh) + dy * mean(gx * xh))));
  }
  Tensor by_x = by_xh.defined() ? r * project(by_xh) : Tensor();
  if (gx.defined() && training) by_x = by_x - scale * r * r * mean(gx * project(dy)) * xh;
  result[0] = dtype == kFloat32 ? by_dy : Cast(by_dy, dtype);
  if (by_x.defined()) result[1] = dtype == kFloat32 ? by_x : Cast(by_x, dtype);
  return result;
}

}  // namespace

OpSchema FusedBatchNormV3Schema() {
  return OpSchema("FusedBatchNormV3", "Normalizes each channel of x to scale and offset, by the batch's mean and variance or by given ones.")
      .Signature("x:T, scale:U, offset:U, mean:U, variance:U",
                 "y:T, batch_mean:U, batch_variance:U, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U",
                 "T:type{half,bfloat16,float}; U:type{bfloat16,float}; epsilon:float=0.0001; exponential_avg_factor:float=1.0; "
                 "data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\",\"NDHWC\",\"NCDHW\"}; is_training:bool=true")
      .Infer(InferFusedBatchNorm).Gradient(FusedBatchNormGradient)
      .GradientReads("x, scale, mean, variance, reserve_space_1, reserve_space_2");
}

OpSchema FusedBatchNormGradV3Schema() {
  return OpSchema("FusedBatchNormGradV3", "The derivatives of FusedBatchNormV3 by x, scale and offset.")
      .Signature("y_backprop:T, x:T, scale:float, reserve_space_1:U, reserve_space_2:U, reserve_space_3:U",
                 "x_backprop:T, scale_backprop:U, offset_backprop:U, reserve_space_4:U, reserve_space_5:U",
                 "T:type{half,bfloat16,float}; U:type{float}; epsilon:float=0.0001; "
                 "data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\",\"NDHWC\",\"NCDHW\"}; is_training:bool=true")
      .Infer(InferFusedBatchNormGrad).Gradient(FusedBatchNormGradGradient)
      .GradientReads("y_backprop, x, scale, reserve_space_1, reserve_space_2");
}

FusedBatchNormResult FusedBatchNorm(const Tensor& x, const Tensor& scale, const Tensor& offset, const Tensor& mean, const Tensor& variance,
                                    const FusedBatchNormOptions& o, Origin origin) {
  const Tensor empty = Tensor(std::vector<float>());
  const Tensors out = RunMany(Op<"FusedBatchNormV3">(), Tensors{x, scale, offset, mean.defined() ? mean : empty, variance.defined() ? variance : empty},
                              {o.epsilon, o.exponential_avg_factor, o.data_format, o.is_training}, origin);
  return {out[0], out[1], out[2]};
}

}  // namespace tandem
