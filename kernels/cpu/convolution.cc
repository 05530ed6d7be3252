#include <array>

#include "kernels/cpu/contractions.h"
#include "kernels/cpu/convolution_onednn.h"
#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

// The tensors of a call by their roles: image, filter, result of the convolution. One of them is the call's output.
struct Roles {
  ConvolutionPart part;
  const TensorRep &x, &w, &y;
};
Roles RolesOf(const KernelCall& call) {
  // Told apart by the position of the *_sizes input.
  const auto& inputs = call.schema.inputs();
  if (inputs[0].dtype == kInt32) return {ConvolutionPart::kInput, call.output(), call.input(1), call.input(2)};
  if (inputs[1].dtype == kInt32) return {ConvolutionPart::kFilter, call.input(0), call.output(), call.input(2)};
  return {ConvolutionPart::kOutput, call.input(0), call.input(1), call.output()};
}

template <class T>
T* Data(const TensorRep& rep) {
  return static_cast<T*>(rep.data);
}

template <class T>
absl::Status RunPlain(KernelCall& call, const Roles& r, const ConvolutionGeometry& g, T* x, T* w, T* y) {
  if (!g.channels_first) {
    PlainConvolution(r.part, g, x, w, y);
    return absl::OkStatus();
  }
  const int64_t in = g.height.in * g.width.in, out = g.height.out * g.width.out;
  Scratch<T> last_x, last_y;
  RETURN_IF_ERROR(last_x.Reserve(call.schema.name(), r.x.count));
  RETURN_IF_ERROR(last_y.Reserve(call.schema.name(), r.y.count));
  if (r.part != ConvolutionPart::kInput) SwapChannels(g.batch, g.channels, in, x, last_x.data());
  if (r.part != ConvolutionPart::kOutput) SwapChannels(g.batch, g.filters, out, y, last_y.data());
  PlainConvolution(r.part, g, last_x.data(), w, last_y.data());
  if (r.part == ConvolutionPart::kInput) SwapChannels(g.batch, in, g.channels, last_x.data(), x);
  if (r.part == ConvolutionPart::kOutput) SwapChannels(g.batch, out, g.filters, last_y.data(), y);
  return absl::OkStatus();
}

absl::Status RunFloat(KernelCall& call, const Roles& r, const ConvolutionGeometry& g, float* x, float* w, float* y) {
  const absl::Status status = OnednnConvolution(call, r.part, g, x, w, y);
  return absl::IsUnimplemented(status) ? RunPlain(call, r, g, x, w, y) : status;
}

// The filter as a convolution's: a depthwise one [kh, kw, channels, m] lies in memory as [kh, kw, 1, channels m] does.
std::array<int64_t, 4> FilterDims(const KernelCall& call, const TensorRep& w) {
  const int64_t* d = w.dims();
  if (call.schema.name().starts_with("Depthwise")) return {d[0], d[1], 1, d[2] * d[3]};
  return {d[0], d[1], d[2], d[3]};
}

// The geometry; nothing when the result is all zeros or empty, which is then written.
absl::StatusOr<std::optional<ConvolutionGeometry>> Begin(KernelCall& call, const Roles& r) {
  ASSIGN_OR_RETURN(const ConvolutionGeometry g,
                   ConvolutionGeometry::Of(call.schema.name(), ConvolutionAttrs(call), r.x.dims_span(), FilterDims(call, r.w)));
  if (r.x.count && r.y.count) return std::optional(g);
  std::memset(call.output().data, 0, call.output().bytes());
  return std::optional<ConvolutionGeometry>();
}

}  // namespace

absl::Status FloatConvolution(KernelCall& call) {
  const Roles r = RolesOf(call);
  ASSIGN_OR_RETURN(const auto g, Begin(call, r));
  return g ? RunFloat(call, r, *g, Data<float>(r.x), Data<float>(r.w), Data<float>(r.y)) : absl::OkStatus();
}

namespace {

// bfloat16 and half: widened, convolved in float32, rounded once.
template <class H>
absl::Status HalfConvolution(KernelCall& call) {
  const Roles r = RolesOf(call);
  ASSIGN_OR_RETURN(const auto g, Begin(call, r));
  if (!g) return absl::OkStatus();
  Scratch<float> wide[3];
  const TensorRep* const reps[3] = {&r.x, &r.w, &r.y};
  const TensorRep* const output = &call.output();
  for (int k = 0; k < 3; ++k) {
    RETURN_IF_ERROR(wide[k].Reserve(call.schema.name(), reps[k]->count));
    if (reps[k] == output) continue;
    const H* from = Data<H>(*reps[k]);
    for (int64_t i = 0; i < reps[k]->count; ++i) wide[k].data()[i] = static_cast<float>(from[i]);
  }
  RETURN_IF_ERROR(RunFloat(call, r, *g, wide[0].data(), wide[1].data(), wide[2].data()));
  const float* result = wide[static_cast<int>(r.part) == 0 ? 2 : static_cast<int>(r.part) - 1].data();
  for (int64_t i = 0; i < output->count; ++i) Data<H>(*output)[i] = H(result[i]);
  return absl::OkStatus();
}

template <class T>
absl::Status PlainTyped(KernelCall& call) {
  const Roles r = RolesOf(call);
  ASSIGN_OR_RETURN(const auto g, Begin(call, r));
  return g ? RunPlain(call, r, *g, Data<T>(r.x), Data<T>(r.w), Data<T>(r.y)) : absl::OkStatus();
}

void Fill(CpuKernel& k) {
  k.Set(kFloat32, FloatConvolution);
  k.Set(kFloat16, HalfConvolution<Half>);
  k.Set(kBFloat16, HalfConvolution<BFloat16>);
  k.Set(kFloat64, PlainTyped<double>);
  k.Set(kInt32, PlainTyped<uint32_t>);  // wraps; the same bits as signed
}

}  // namespace

void Conv2DCpu(CpuKernel& k) { Fill(k); }
void Conv2DBackpropInputCpu(CpuKernel& k) { Fill(k); }
void Conv2DBackpropFilterCpu(CpuKernel& k) { Fill(k); }
void DepthwiseConv2dNativeCpu(CpuKernel& k) { Fill(k); }
void DepthwiseConv2dNativeBackpropInputCpu(CpuKernel& k) { Fill(k); }
void DepthwiseConv2dNativeBackpropFilterCpu(CpuKernel& k) { Fill(k); }

}  // namespace tandem
