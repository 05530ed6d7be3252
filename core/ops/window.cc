#include "core/ops/window.h"

namespace tandem {
namespace {

std::string Text(std::string_view s) { return std::string(s); }

absl::Status CheckList(std::string_view op, const char* name, std::span<const int64_t> list, const ImageAxes& axes, bool channel_windows) {
  if (list.size() != 4) return InvalidArgument(Text(op), ": ", name, " has ", list.size(), " entries, must have 4");
  for (int i = 0; i < 4; ++i)
    if (list[i] < 1) return InvalidArgument(Text(op), ": ", name, "[", i, "] = ", list[i], ", must be at least 1");
  if (list[0] != 1) return InvalidArgument(Text(op), ": ", name, "[0] = ", list[0], ", must be 1 along the batch");
  if (!channel_windows && list[axes.c] != 1)
    return InvalidArgument(Text(op), ": ", name, "[", axes.c, "] = ", list[axes.c], ", must be 1 along the channels");
  return absl::OkStatus();
}

}  // namespace

absl::Status WindowAttrs::Check(std::string_view op) const {
  RETURN_IF_ERROR(CheckList(op, "strides", strides, axes, pool));
  RETURN_IF_ERROR(pool ? CheckList(op, "ksize", ksize, axes, true) : CheckList(op, "dilations", dilations, axes, false));
  if (padding != "EXPLICIT") {
    if (explicit_paddings.empty()) return absl::OkStatus();
    return InvalidArgument(Text(op), ": explicit_paddings has ", explicit_paddings.size(), " entries, must have none with padding ", Text(padding));
  }
  if (explicit_paddings.size() != 8)
    return InvalidArgument(Text(op), ": explicit_paddings has ", explicit_paddings.size(), " entries, must have 8");
  for (int i = 0; i < 8; ++i) {
    if (explicit_paddings[i] < 0) return InvalidArgument(Text(op), ": explicit_paddings[", i, "] = ", explicit_paddings[i], ", must be at least 0");
    if (const int axis = i / 2; (axis == 0 || axis == axes.c) && explicit_paddings[i])
      return InvalidArgument(Text(op), ": explicit_paddings[", i, "] = ", explicit_paddings[i], ", must be 0 along ", axis ? "the channels" : "the batch");
  }
  return absl::OkStatus();
}

absl::StatusOr<AxisWindows> WindowAttrs::Along(std::string_view op, int axis, int64_t in, int64_t window) const {
  using Wide = __int128;
  AxisWindows w{.in = in, .window = window, .stride = strides[axis], .dilation = pool ? 1 : dilations[axis]};
  const Wide span = Wide{w.window - 1} * w.dilation + 1;  // cells from the first to the last of a window
  Wide out;
  if (padding == "SAME") {
    out = (Wide{in} + w.stride - 1) / w.stride;
    const Wide total = std::max<Wide>((out - 1) * w.stride + span - in, 0);
    if (total > INT64_MAX / 2) return InvalidArgument(Text(op), ": the window on axis ", axis, " spans more than 2^62 cells");
    w.before = static_cast<int64_t>(total / 2);
    w.after = static_cast<int64_t>(total) - w.before;
  } else {
    if (padding == "EXPLICIT") {
      w.before = explicit_paddings[2 * axis];
      w.after = explicit_paddings[2 * axis + 1];
    }
    const Wide padded = Wide{in} + w.before + w.after;
    if (padded > INT64_MAX / 2) return InvalidArgument(Text(op), ": the padded image has more than 2^62 cells on axis ", axis);
    const Wide room = padded - span + 1;
    if (room < (pool ? 1 : 0))  // a filter one cell too large gives an empty image, a pool an error, as in TensorFlow
      return InvalidArgument(Text(op), ": the window spans ", span > INT64_MAX ? std::string("more than 2^63 - 1") : std::to_string(static_cast<int64_t>(span)),
                             " cells on axis ", axis, ", the padded image has ", static_cast<int64_t>(padded));
    out = (room + w.stride - 1) / w.stride;
  }
  w.out = static_cast<int64_t>(out);
  return w;
}

absl::StatusOr<ConvolutionGeometry> ConvolutionGeometry::Of(std::string_view op, const WindowAttrs& attrs,
                                                            std::span<const int64_t> input, std::span<const int64_t> filter) {
  const ImageAxes& axes = attrs.axes;
  ConvolutionGeometry g;
  for (int i = 0; i < 4; ++i)
    if (filter[i] < 1) return InvalidArgument(Text(op), ": filter is ", DimsToString(filter), " (dim ", i, " = ", filter[i], "), must not be empty");
  g.batch = input[0];
  g.channels = input[axes.c];
  g.filters = filter[3];
  g.channels_first = axes.c == 1;
  if (g.channels < 1 || g.channels % filter[2])
    return InvalidArgument(Text(op), ": channels differ: input is ", DimsToString(input), " (dim ", axes.c, " = ", g.channels, "), filter is ",
                           DimsToString(filter), " (dim 2 = ", filter[2], ")");
  g.groups = g.channels / filter[2];
  if (g.filters % g.groups)
    return InvalidArgument(Text(op), ": the ", g.channels, " channels of input are ", g.groups, " groups of filter's ", filter[2],
                           ", which do not divide its ", g.filters, " output channels");
  ASSIGN_OR_RETURN(g.height, attrs.Along(op, axes.h, input[axes.h], filter[0]));
  ASSIGN_OR_RETURN(g.width, attrs.Along(op, axes.w, input[axes.w], filter[1]));
  return g;
}

absl::StatusOr<PoolGeometry> PoolGeometry::Of(std::string_view op, const WindowAttrs& attrs, std::span<const int64_t> input) {
  const ImageAxes& axes = attrs.axes;
  PoolGeometry g;
  g.batch = input[0];
  g.channels_first = axes.c == 1;
  ASSIGN_OR_RETURN(g.height, attrs.Along(op, axes.h, input[axes.h], attrs.ksize[axes.h]));
  ASSIGN_OR_RETURN(g.width, attrs.Along(op, axes.w, input[axes.w], attrs.ksize[axes.w]));
  ASSIGN_OR_RETURN(g.channels, attrs.Along(op, axes.c, input[axes.c], attrs.ksize[axes.c]));
  return g;
}

absl::StatusOr<std::optional<Shape>> ImageSizes(const InferContext& c, int i) {
  ASSIGN_OR_RETURN(const Shape vector, c.InputOfRank(i, 1));
  if (vector[0] >= 0 && vector[0] != 4) return c.Error(c.InputName(i), " has ", vector[0], " entries, must have 4");
  const auto values = c.IntValues(i);
  if (!values) return std::optional<Shape>();
  for (size_t k = 0; k < 4; ++k)
    if ((*values)[k] < 0) return c.Error(c.InputName(i), "[", k, "] = ", (*values)[k], ", must be at least 0");
  Shape sizes{std::span<const int64_t>(values->data(), values->size())};
  if (!sizes.num_elements()) return c.Error(c.InputName(i), " is ", sizes.ToString(), ", more than 2^63 - 1 elements");
  return std::optional<Shape>(std::move(sizes));
}

}  // namespace tandem
