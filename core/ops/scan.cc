#include "core/ops/scan.h"

#include "core/gradient.h"

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
      .Infer(InferScan).NotDifferentiable("its gradient is not written yet");
}

Tensor CumSum(Operand x, const Tensor& axis, ScanOptions options) {
  return Run(Op<"Cumsum">(), {x, axis}, {options.exclusive, options.reverse}, x.origin());
}
Tensor CumProd(Operand x, const Tensor& axis, ScanOptions options) {
  return Run(Op<"Cumprod">(), {x, axis}, {options.exclusive, options.reverse}, x.origin());
}

}  // namespace tandem
