// The geometry of sliding windows over images: shared by convolutions and pools, inference and kernels.
//
//   ASSIGN_OR_RETURN(const ImageWindows w, ImageWindows::Of(schema, attrs, in_dims, window_h, window_w));
//   w.height.out, w.height.before                              // rows of the output, rows of padding above
//
// SAME: out = ceil(in/stride), padded evenly, the smaller half before. VALID: no padding. EXPLICIT: as given.
// Reference: https://www.tensorflow.org/api_docs/python/tf/nn/convolution. Arithmetic is 128 bits wide: no window is too
// large to be refused properly.
#pragma once
#include "core/infer.h"

namespace tandem {

// Which axis is which: NHWC or NCHW.
struct ImageAxes {
  int h, w, c;
  static ImageAxes Of(std::string_view data_format) { return data_format == "NCHW" ? ImageAxes{2, 3, 1} : ImageAxes{1, 2, 3}; }
};

// Windows along one axis: window o covers cells o*stride - before + k*dilation for k in [0, window).
struct AxisWindows {
  int64_t in = 0, out = 0;
  int64_t window = 1, stride = 1, dilation = 1;
  int64_t before = 0, after = 0;  // cells of padding

  // The range of k whose cells are real.
  int64_t first(int64_t o) const {
    const int64_t start = o * stride - before;
    return start >= 0 ? 0 : std::min(window, (-start + dilation - 1) / dilation);
  }
  int64_t last(int64_t o) const {
    const int64_t room = in - (o * stride - before);
    return room <= 0 ? 0 : std::min(window, (room - 1) / dilation + 1);
  }
  int64_t cell(int64_t o, int64_t k) const { return o * stride - before + k * dilation; }
};

// What the attributes of such an op say, checked.
struct WindowAttrs {
  bool pool = false;
  std::span<const int64_t> strides;
  std::span<const int64_t> ksize;      // of a pool
  std::span<const int64_t> dilations;  // of a convolution
  std::span<const int64_t> explicit_paddings;
  std::string_view padding;
  ImageAxes axes;

  // INVALID_ARGUMENT: lists that are not 4 long (8 for explicit_paddings under EXPLICIT, else 0), entries below 1 (0 for
  // paddings), batch or channel entries other than 1 (0). Only pools may have windows along the channels.
  absl::Status Check(std::string_view op) const;
  // Windows along spatial axis `axis` (of the image, 0 = batch) of `in` cells. INVALID_ARGUMENT when a window does not
  // fit the padded image; a filter (not a pool) of one cell more gives an empty output.
  absl::StatusOr<AxisWindows> Along(std::string_view op, int axis, int64_t in, int64_t window) const;
};

// Reads the attributes of a call: c is an InferContext or a KernelCall.
template <class C>
WindowAttrs ConvolutionAttrs(const C& c) {
  return {.strides = c.template attr<std::span<const int64_t>>("strides"),
          .dilations = c.template attr<std::span<const int64_t>>("dilations"),
          .explicit_paddings = c.template attr<std::span<const int64_t>>("explicit_paddings"),
          .padding = c.template attr<std::string_view>("padding"),
          .axes = ImageAxes::Of(c.template attr<std::string_view>("data_format"))};
}
template <class C>
WindowAttrs PoolAttrs(const C& c, const OpSchema& schema) {
  return {.pool = true,
          .strides = c.template attr<std::span<const int64_t>>("strides"),
          .ksize = c.template attr<std::span<const int64_t>>("ksize"),
          .explicit_paddings = schema.FindAttr("explicit_paddings") < 0
                                   ? std::span<const int64_t>()
                                   : c.template attr<std::span<const int64_t>>("explicit_paddings"),
          .padding = c.template attr<std::string_view>("padding"),
          .axes = ImageAxes::Of(c.template attr<std::string_view>("data_format"))};
}

// A convolution of an image [n,h,w,c] with a filter [window_h,window_w,c/groups,filters], as NHWC whatever the format.
struct ConvolutionGeometry {
  int64_t batch = 0, channels = 0, filters = 0, groups = 1;
  AxisWindows height, width;
  bool channels_first = false;

  // From known shapes. INVALID_ARGUMENT when they do not make a convolution.
  static absl::StatusOr<ConvolutionGeometry> Of(std::string_view op, const WindowAttrs& attrs, std::span<const int64_t> input,
                                                std::span<const int64_t> filter);
  Shape InputShape() const { return Image(height.in, width.in, channels); }
  Shape OutputShape() const { return Image(height.out, width.out, filters); }

 private:
  Shape Image(int64_t h, int64_t w, int64_t c) const { return channels_first ? Shape{batch, c, h, w} : Shape{batch, h, w, c}; }
};

// A pool over an image, likewise.
struct PoolGeometry {
  int64_t batch = 0;
  AxisWindows height, width, channels;
  bool channels_first = false;

  static absl::StatusOr<PoolGeometry> Of(std::string_view op, const WindowAttrs& attrs, std::span<const int64_t> input);
  Shape OutputShape() const {
    return channels_first ? Shape{batch, channels.out, height.out, width.out} : Shape{batch, height.out, width.out, channels.out};
  }
};

// The four numbers that int32 vector i spells, an image's or a filter's shape; nothing when not known yet.
absl::StatusOr<std::optional<Shape>> ImageSizes(const InferContext& c, int i);

}  // namespace tandem
