// Inference that convolutions and depthwise convolutions share: they differ in how they read the filter's shape.
//
//   absl::Status InferConv2D(InferContext& c) { return InferConvolution(c, FilterAsIs); }
#pragma once
#include "core/infer.h"
#include "core/ops/window.h"

namespace tandem {

// The filter [kh, kw, channels/groups, filters] that stands for the one of the op. image: as the op has it.
using FilterView = absl::StatusOr<Shape> (*)(const InferContext& c, const ImageAxes& axes, const Shape& image, const Shape& filter);
absl::StatusOr<Shape> FilterAsIs(const InferContext& c, const ImageAxes& axes, const Shape& image, const Shape& filter);

absl::Status InferConvolution(InferContext& c, FilterView view);                 // input, filter -> output
absl::Status InferConvolutionBackpropInput(InferContext& c, FilterView view);    // input_sizes, filter, out_backprop
absl::Status InferConvolutionBackpropFilter(InferContext& c, FilterView view);   // input, filter_sizes, out_backprop

}  // namespace tandem
