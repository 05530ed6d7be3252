#include "core/ops/window.h"
#include "kernels/cpu/contractions.h"
#include "kernels/cpu/convolution_onednn.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/epilogue.h"
#include "kernels/cpu/gemm.h"

namespace tandem {
namespace {

absl::Status FusedMatMul(KernelCall& call) {
  const auto dims = call.output().dims_span();
  GemmShape s{.m = dims[0], .n = dims[1], .transpose_a = call.attr<bool>("transpose_a"), .transpose_b = call.attr<bool>("transpose_b")};
  s.k = call.input(0).dims()[s.transpose_a ? 0 : 1];
  if (const auto addends = OnlyAddends(call); !addends.empty() && call.output().count && s.k) {
    ASSIGN_OR_RETURN(const bool done,
                     AddingGemm(call, s, call.input(0).as<float>(), call.input(1).as<float>(), call.output().as<float>(), addends));
    if (done) return absl::OkStatus();
  }
  RETURN_IF_ERROR(FloatMatMul(call));
  return ApplyEpilogue(call, {.channels = s.n, .pixels = s.m});
}

absl::Status FusedConv2D(KernelCall& call) {
  const TensorRep &x = call.input(0), &w = call.input(1);
  const auto d = call.output().dims_span();
  if (call.attr<std::string_view>("data_format") == "NCHW") {
    RETURN_IF_ERROR(FloatConvolution(call));
    return ApplyEpilogue(call, {.images = d[0], .channels = d[1], .pixels = d[2] * d[3], .channels_first = true});
  }
  if (const auto addends = OnlyAddends(call); !addends.empty() && call.output().count && x.count) {
    ASSIGN_OR_RETURN(const ConvolutionGeometry g,
                     ConvolutionGeometry::Of(call.schema.name(), ConvolutionAttrs(call), x.dims_span(), w.dims_span()));
    ASSIGN_OR_RETURN(const bool done, AddingConvolution(call, g, x.as<float>(), w.as<float>(), call.output().as<float>(), addends));
    if (done) return absl::OkStatus();
  }
  RETURN_IF_ERROR(FloatConvolution(call));
  return ApplyEpilogue(call, {.images = d[0], .channels = d[3], .pixels = d[1] * d[2]});
}

}  // namespace

void FusedMatMulCpu(CpuKernel& k) { k.Set(kFloat32, FusedMatMul); }
void FusedConv2DCpu(CpuKernel& k) { k.Set(kFloat32, FusedConv2D); }

}  // namespace tandem
