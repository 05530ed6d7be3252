#include "core/ops/convolution_infer.h"

#include <algorithm>

namespace tandem {
namespace {

bool Known(std::span<const int64_t> dims) {
  return std::all_of(dims.begin(), dims.end(), [](int64_t d) { return d >= 0; });
}

// Both gradients: `input` and `given` are what the convolution read, out_backprop must have its output's shape.
absl::Status CheckBackprop(const InferContext& c, const WindowAttrs& attrs, FilterView view, const Shape& input, const Shape& given) {
  ASSIGN_OR_RETURN(const Shape filter, view(c, attrs.axes, input, given));
  if (!Known(input.dims()) || !Known(filter.dims())) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ConvolutionGeometry g, ConvolutionGeometry::Of(c.schema().name(), attrs, input.dims(), filter.dims()));
  if (!g.OutputShape().CompatibleWith(c.input(2))) return c.Error(c.Describe(2), ", must be ", g.OutputShape().ToString());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> FilterAsIs(const InferContext&, const ImageAxes&, const Shape&, const Shape& filter) { return filter; }

absl::Status InferConvolution(InferContext& c, FilterView view) {
  const WindowAttrs attrs = ConvolutionAttrs(c);
  RETURN_IF_ERROR(attrs.Check(c.schema().name()));
  ASSIGN_OR_RETURN(const Shape input, c.InputOfRank(0, 4));
  const ImageAxes& axes = attrs.axes;
  ASSIGN_OR_RETURN(const Shape given, c.InputOfRank(1, 4));
  ASSIGN_OR_RETURN(const Shape filter, view(c, axes, input, given));
  if (Known(input.dims()) && Known(filter.dims())) {
    ASSIGN_OR_RETURN(const ConvolutionGeometry g, ConvolutionGeometry::Of(c.schema().name(), attrs, input.dims(), filter.dims()));
    return c.Output(g.OutputShape());
  }
  // What is unknown stands in by a number that cannot fail, and the outputs that it decides stay unknown.
  Shape some_input = input, some_filter = filter;
  for (int64_t& d : std::span(&some_filter[0], 4))
    if (d < 0) d = 1;
  if (filter[2] < 0 || input[axes.c] < 0) some_input[axes.c] = some_filter[2];
  if (filter[3] < 0 && some_filter[2] > 0) some_filter[3] = std::max<int64_t>(1, some_input[axes.c] / some_filter[2]);  // one for each group
  for (int axis : {0, axes.h, axes.w})
    if (input[axis] < 0) some_input[axis] = INT32_MAX;
  ASSIGN_OR_RETURN(const ConvolutionGeometry g, ConvolutionGeometry::Of(c.schema().name(), attrs, some_input.dims(), some_filter.dims()));
  Shape out = g.OutputShape();
  const bool same = attrs.padding == "SAME";
  out[0] = input[0];
  out[axes.c] = filter[3];
  if (input[axes.h] < 0 || (filter[0] < 0 && !same)) out[axes.h] = kUnknownDim;
  if (input[axes.w] < 0 || (filter[1] < 0 && !same)) out[axes.w] = kUnknownDim;
  return c.Output(std::move(out));
}

absl::Status InferConvolutionBackpropInput(InferContext& c, FilterView view) {
  const WindowAttrs attrs = ConvolutionAttrs(c);
  RETURN_IF_ERROR(attrs.Check(c.schema().name()));
  ASSIGN_OR_RETURN(const Shape dy, c.InputOfRank(2, 4));
  ASSIGN_OR_RETURN(const Shape filter, c.InputOfRank(1, 4));
  ASSIGN_OR_RETURN(const std::optional<Shape> sizes, ImageSizes(c, 0));
  if (sizes) {
    RETURN_IF_ERROR(CheckBackprop(c, attrs, view, *sizes, filter));
    return c.Output(*sizes);
  }
  Shape out = {kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  out[0] = dy[0];
  return c.Output(std::move(out));
}

absl::Status InferConvolutionBackpropFilter(InferContext& c, FilterView view) {
  const WindowAttrs attrs = ConvolutionAttrs(c);
  RETURN_IF_ERROR(attrs.Check(c.schema().name()));
  ASSIGN_OR_RETURN(const Shape dy, c.InputOfRank(2, 4));
  ASSIGN_OR_RETURN(const Shape input, c.InputOfRank(0, 4));
  ASSIGN_OR_RETURN(const std::optional<Shape> sizes, ImageSizes(c, 1));
  if (sizes) {
    RETURN_IF_ERROR(CheckBackprop(c, attrs, view, input, *sizes));
    return c.Output(*sizes);
  }
  Shape out = {kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  if (view == FilterAsIs) out[3] = dy[attrs.axes.c];
  return c.Output(std::move(out));
}

}  // namespace tandem
