#include "kernels/cpu/convolution_onednn.h"

#include "kernels/cpu/onednn_cache.h"

namespace tandem {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;
constexpr auto kF32 = memory::data_type::f32;

// The layouts of the three tensors, as the caller holds them and as the primitive is asked for: images channels last
// whatever the caller's format, so that both formats give the same bits; filters as oneDNN likes.
struct Layouts {
  memory::desc x, w, y;
  memory::desc caller_x, caller_w, caller_y;
  Dims strides, dilates, before, after;

  explicit Layouts(const ConvolutionGeometry& g) {
    const AxisWindows &h = g.height, &v = g.width;
    const Dims x_dims = {g.batch, g.channels, h.in, v.in}, y_dims = {g.batch, g.filters, h.out, v.out};
    const Tag format = g.channels_first ? Tag::nchw : Tag::nhwc;
    x = {x_dims, kF32, Tag::nhwc};
    y = {y_dims, kF32, Tag::nhwc};
    caller_x = {x_dims, kF32, format};
    caller_y = {y_dims, kF32, format};
    const int64_t depth = g.channels / g.groups, width = g.filters / g.groups;
    if (g.groups == 1) {
      const Dims w_dims = {g.filters, g.channels, h.window, v.window};
      w = {w_dims, kF32, Tag::any};
      caller_w = {w_dims, kF32, Tag::hwio};
    } else {
      const Dims w_dims = {g.groups, width, depth, h.window, v.window};
      w = {w_dims, kF32, Tag::any};
      caller_w = {w_dims, kF32, Dims{width, 1, g.filters, v.window * depth * g.filters, depth * g.filters}};
    }
    strides = {h.stride, v.stride};
    dilates = {h.dilation - 1, v.dilation - 1};  // oneDNN counts the cells left out
    before = {h.before, v.before};
    after = {h.after, v.after};
  }
};

std::unique_ptr<OnednnPrimitive> MakeConvolution(ConvolutionPart part, const ConvolutionGeometry& g, std::span<const Addend> addends = {}) {
  const Layouts l(g);
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  using Args = std::vector<OnednnArgument>;
  Args post_args;
  dnnl::post_ops additions;
  for (size_t i = 0; i < addends.size(); ++i) {
    const memory::desc desc = addends[i].per_channel ? memory::desc({1, g.filters, 1, 1}, kF32, Tag::nhwc) : l.y;
    additions.append_binary(dnnl::algorithm::binary_add, desc);
    post_args.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1, desc, false, true});
  }
  attr.set_post_ops(additions);
  const auto prop = part == ConvolutionPart::kOutput ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training;
  const dnnl::convolution_forward::primitive_desc forward(
      {prop, kDirect, l.x, l.w, l.y, l.strides, l.dilates, l.before, l.after}, attr, OnednnEngine());
  switch (part) {
    case ConvolutionPart::kOutput: {
      Args args = {{DNNL_ARG_SRC, l.caller_x}, {DNNL_ARG_WEIGHTS, l.caller_w}, {DNNL_ARG_DST, l.caller_y, true}};
      args.insert(args.end(), post_args.begin(), post_args.end());
      return std::make_unique<OnednnPrimitive>(forward, dnnl::convolution_forward(forward), std::move(args));
    }
    case ConvolutionPart::kInput: {
      const dnnl::convolution_backward_data::primitive_desc desc({kDirect, l.x, l.w, l.y, l.strides, l.dilates, l.before, l.after}, attr,
                                                                 OnednnEngine(), forward);
      return std::make_unique<OnednnPrimitive>(
          desc, dnnl::convolution_backward_data(desc),
          Args{{DNNL_ARG_DIFF_SRC, l.caller_x, true}, {DNNL_ARG_WEIGHTS, l.caller_w}, {DNNL_ARG_DIFF_DST, l.caller_y}});
    }
    case ConvolutionPart::kFilter: break;
  }
  const dnnl::convolution_backward_weights::primitive_desc desc({kDirect, l.x, l.w, l.y, l.strides, l.dilates, l.before, l.after}, attr,
                                                                OnednnEngine(), forward);
  return std::make_unique<OnednnPrimitive>(
      desc, dnnl::convolution_backward_weights(desc),
      Args{{DNNL_ARG_SRC, l.caller_x}, {DNNL_ARG_DIFF_WEIGHTS, l.caller_w, true}, {DNNL_ARG_DIFF_DST, l.caller_y}});
}

// A filter's gradient sums over the batch, which threads share. So may the sums of the matrix products that convolutions
// become below AVX-512.
SumSplit SumSplitOf(ConvolutionPart part) {
  static const bool whole = dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core;
  return whole && part != ConvolutionPart::kFilter ? SumSplit::kNever : SumSplit::kByThreads;
}

void AddGeometry(const ConvolutionGeometry& g, PrimitiveKey& key) {
  key.Add(g.batch, g.channels, g.filters, g.groups, g.channels_first);
  for (const AxisWindows& a : {g.height, g.width}) key.Add(a.in, a.window, a.stride, a.dilation, a.before, a.after);
}

}  // namespace

absl::Status OnednnConvolution(KernelCall& call, ConvolutionPart part, const ConvolutionGeometry& g, const float* x, const float* w,
                               const float* y) {
  static constexpr PrimitiveKind kKinds[] = {PrimitiveKind::kConvolution, PrimitiveKind::kConvolutionInput, PrimitiveKind::kConvolutionFilter};
  PrimitiveKey key(kKinds[static_cast<int>(part)], OnednnThreads(SumSplitOf(part)));
  AddGeometry(g, key);
  ASSIGN_OR_RETURN(OnednnPrimitive * primitive, CachedPrimitive(call, key, [&] { return MakeConvolution(part, g); }));
  return primitive->Execute(call.schema.name(), {x, w, y});
}

absl::StatusOr<bool> AddingConvolution(KernelCall& call, const ConvolutionGeometry& g, const float* x, const float* w, float* y,
                                       std::span<const Addend> addends) {
  PrimitiveKey key(PrimitiveKind::kConvolutionAdd, OnednnThreads(SumSplitOf(ConvolutionPart::kOutput)));
  AddGeometry(g, key);
  for (const Addend& addend : addends) key.Add(addend.per_channel);
  const int64_t pixels = g.batch * g.height.out * g.width.out;
  const auto make = [&] {
    return ExactOrNull([&](std::span<const Addend> with) { return MakeConvolution(ConvolutionPart::kOutput, g, with); },
                       {.x = g.batch * g.height.in * g.width.in * g.channels,
                        .w = g.height.window * g.width.window * g.channels / g.groups * g.filters,
                        .y = pixels * g.filters,
                        .channels = g.filters},
                       addends);
  };
  const absl::StatusOr<OnednnPrimitive*> primitive = CachedPrimitive(call, key, make);
  if (absl::IsUnimplemented(primitive.status())) return false;
  RETURN_IF_ERROR(primitive.status());
  return ExecuteAdding(call.schema.name(), *primitive, x, w, y, addends);
}

}  // namespace tandem
