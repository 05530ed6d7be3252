// Internal ops that the contraction pass makes: a MatMul or Conv2D with the elementwise ops that close it in one node,
// bit for bit what the nodes it replaces give. They exist inside a Session, after differentiation; no public function.
#include "core/epilogues.h"
#include "core/infer.h"

namespace tandem {
namespace {

// args of fused_ops in order: BiasAdd takes a vector along the output's channels, Add a tensor of the output's shape.
absl::Status CheckEpilogue(InferContext& c, Contraction contraction, int channel_axis) {
  const Shape& out = c.outputs()[0].shape;
  int arg = 2;
  for (const std::string& op : c.attr<std::span<const std::string>>("fused_ops")) {
    if (!EpilogueIsExact(contraction, op, c.dtype(0))) return c.Error("fused_ops has \"", op, "\", which cannot be fused");
    if (op != "BiasAdd" && op != "Add") continue;
    if (arg >= c.num_inputs()) return c.Error("fused_ops needs more than the ", c.num_inputs() - 2, " tensors of args");
    Shape want = out;
    if (op == "BiasAdd") want = out.known_rank() ? Shape{out[channel_axis]} : Shape{kUnknownDim};
    if (!want.CompatibleWith(c.input(arg))) return c.Error(c.Describe(arg), ", must be ", want.ToString(), " for ", op);
    ++arg;
  }
  if (arg != c.num_inputs()) return c.Error("args has ", c.num_inputs() - 2, " tensors, fused_ops uses ", arg - 2);
  return absl::OkStatus();
}

absl::Status InferFusedMatMul(InferContext& c) {
  RETURN_IF_ERROR(GetOp(Op<"MatMul">()).infer()(c));
  return CheckEpilogue(c, Contraction::kMatMul, 1);
}

absl::Status InferFusedConv2D(InferContext& c) {
  RETURN_IF_ERROR(GetOp(Op<"Conv2D">()).infer()(c));
  return CheckEpilogue(c, Contraction::kConv2D, c.attr<std::string_view>("data_format") == "NCHW" ? 1 : 3);
}

}  // namespace

OpSchema FusedMatMulSchema() {
  return OpSchema("FusedMatMul", "MatMul with the elementwise ops fused_ops after it, in one node; args holds their tensors.")
      .Signature("a:T, b:T, args:num_args*T", "product:T",
                 "transpose_a:bool=false; transpose_b:bool=false; T:type{bfloat16,half,float}; num_args:int>=0; "
                 "fused_ops:list(string)=[]; epsilon:float=0.0001; leakyrelu_alpha:float=0.2")
      .Infer(InferFusedMatMul).NotDifferentiable("made by a pass, after differentiation");
}

OpSchema FusedConv2DSchema() {
  return OpSchema("FusedConv2D", "Conv2D with the elementwise ops fused_ops after it, in one node; args holds their tensors.")
      .Signature("input:T, filter:T, args:num_args*T", "output:T",
                 "T:type{half,float,double}; num_args:int>=0; strides:list(int); padding:string{\"SAME\",\"VALID\",\"EXPLICIT\"}; "
                 "explicit_paddings:list(int)=[]; data_format:string=\"NHWC\"{\"NHWC\",\"NCHW\"}; dilations:list(int)=[1,1,1,1]; "
                 "use_cudnn_on_gpu:bool=true; fused_ops:list(string)=[]; epsilon:float=0.0001; leakyrelu_alpha:float=0.2")
      .Infer(InferFusedConv2D).NotDifferentiable("made by a pass, after differentiation");
}

}  // namespace tandem
