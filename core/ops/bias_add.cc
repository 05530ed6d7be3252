#include "core/ops/bias_add.h"

#include "core/gradient.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/ops/tile.h"

namespace tandem {
namespace {

constexpr const char* kAttrs =
    "T:type{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64}; data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\"}";

int ChannelAxis(std::string_view data_format, int rank) { return data_format == "NCHW" ? 1 : rank - 1; }

absl::Status InferBiasAdd(InferContext& c) {
  ASSIGN_OR_RETURN(Shape value, c.InputOfRankAtLeast(0, 2));
  ASSIGN_OR_RETURN(const Shape bias, c.InputOfRank(1, 1));
  if (value.known_rank()) {
    const int axis = ChannelAxis(c.attr<std::string_view>("data_format"), value.rank());
    if (!Compatible(value[axis], bias[0])) return c.Differ("channels", 0, axis, 1, 0);
    if (value[axis] < 0) value[axis] = bias[0];
  }
  return c.Output(std::move(value));
}

absl::Status InferBiasAddGrad(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape dy, c.InputOfRankAtLeast(0, 2));
  if (!dy.known_rank()) return c.Output({kUnknownDim});
  return c.Output({dy[ChannelAxis(c.attr<std::string_view>("data_format"), dy.rank())]});
}

Tensors BiasAddGradient(const Recorded& op, const Tensor& dy) {
  return {dy, op.needs(1) ? BiasAddGrad(dy, op.attr<std::string_view>("data_format")) : Tensor()};
}

// Every element of a channel contributed once.
Tensors BiasAddGradGradient(const Recorded& op, const Tensor& dy) {
  Tensor d = dy;
  if (op.attr<std::string_view>("data_format") == "NCHW") {
    const int rank = op.input_shape(0).rank();
    if (rank < 0) ThrowError(InvalidArgument("BiasAddGrad: its gradient needs the rank of out_backprop to be known"));
    std::vector<int64_t> column(static_cast<size_t>(rank) - 1, 1);
    column[0] = -1;
    d = Reshape(dy, column);
  }
  return {BroadcastTo(d, ShapeOfInput(op, 0))};
}

}  // namespace

OpSchema BiasAddSchema() {
  return OpSchema("BiasAdd", "Adds bias along the channels of value.")
      .Signature("value:T, bias:T", "output:T", kAttrs)
      .Infer(InferBiasAdd).Gradient(BiasAddGradient).GradientReads("");
}
OpSchema BiasAddGradSchema() {
  return OpSchema("BiasAddGrad", "The sum over all axes but the channels.")
      .Signature("out_backprop:T", "output:T", kAttrs)
      .Infer(InferBiasAddGrad).Gradient(BiasAddGradGradient).GradientReads("");
}

Tensor BiasAdd(Operand value, Operand bias, std::string_view data_format) {
  return Run(Op<"BiasAdd">(), {value, bias}, {data_format}, value.origin());
}
Tensor BiasAddGrad(Operand out_backprop, std::string_view data_format) {
  return Run(Op<"BiasAddGrad">(), {out_backprop}, {data_format}, out_backprop.origin());
}

}  // namespace tandem
