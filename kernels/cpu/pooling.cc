#include <limits>

#include "core/ops/window.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/vector/elementwise.h"

namespace tandem {
namespace {

int64_t InPixels(const PoolGeometry& g) { return g.height.in * g.width.in; }
int64_t OutPixels(const PoolGeometry& g) { return g.height.out * g.width.out; }
bool WholeChannels(const PoolGeometry& g) { return g.channels.window == 1 && g.channels.stride == 1; }

// Rows of the output worth a thread of their own.
int64_t RowGrain(const PoolGeometry& g) {
  const int64_t taps = std::min(g.height.window, g.height.in) * std::min(g.width.window, g.width.in);
  return std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(g.width.out * g.channels.out * taps, 1));
}

// Output rows [begin, end) of all images: start(out) for each window, then tap(out, in) for each of its cells, row-major,
// then finish(out, cells); out and in are offsets of channel 0.
template <class Start, class Tap, class Finish>
void ForEachWindow(const PoolGeometry& g, int64_t begin, int64_t end, Start&& start, Tap&& tap, Finish&& finish) {
  const AxisWindows &h = g.height, &w = g.width;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / h.out, oh = row % h.out, kh0 = h.first(oh), kh1 = h.last(oh);
    for (int64_t ow = 0; ow < w.out; ++ow) {
      const int64_t kw0 = w.first(ow), kw1 = w.last(ow);
      const int64_t out = (row * w.out + ow) * g.channels.out;
      start(out);
      for (int64_t kh = kh0; kh < kh1; ++kh)
        for (int64_t kw = kw0; kw < kw1; ++kw) tap(out, ((n * h.in + h.cell(oh, kh)) * w.in + w.cell(ow, kw)) * g.channels.in);
      finish(out, std::max<int64_t>(kh1 - kh0, 0) * std::max<int64_t>(kw1 - kw0, 0));
    }
  }
}

// visit(output channel, input channel) for each channel of a cell.
template <class F>
inline void ForEachChannel(const PoolGeometry& g, F&& visit) {
  if (WholeChannels(g)) {
    for (int64_t c = 0; c < g.channels.out; ++c) visit(c, c);
    return;
  }
  for (int64_t c = 0; c < g.channels.out; ++c)
    for (int64_t k = g.channels.first(c); k < g.channels.last(c); ++k) visit(c, g.channels.cell(c, k));
}

int64_t ChannelCells(const PoolGeometry& g, int64_t c) { return g.channels.last(c) - g.channels.first(c); }

// Whether value takes the place of the largest so far. NaN does, and keeps it.
template <class T>
inline bool Beats(T value, T largest) {
  return !(value <= largest) && largest == largest;
}

template <class T>
constexpr T Lowest() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

template <class T>
constexpr VecType kVecType = std::is_same_v<T, float> ? VecType::kF32 : VecType::kF64;

// Whether rows of channels are long enough for vectors, in a type that has them. Wider windows than this are rare, and
// each of their columns costs a call whether it meets the image or not.
template <class T>
bool UsesVectors(const PoolGeometry& g) {
  return std::is_floating_point_v<T> && WholeChannels(g) && g.channels.out >= 8 && g.width.window <= 64;
}

// y = op(y, x at tap) for output rows [begin, end) and every tap, row-major: one call for all windows of a row.
template <class T>
void CombineRows(const PoolGeometry& g, VecOp op, const T* x, T* y, int64_t begin, int64_t end) {
  const ElementwiseFn fn = FindElementwise(op, kVecType<T>);
  const AxisWindows &h = g.height, &w = g.width;
  const int64_t channels = g.channels.out;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / h.out, oh = row % h.out;
    for (int64_t kh = h.first(oh); kh < h.last(oh); ++kh)
      for (int64_t kw = 0; kw < w.window; ++kw) {
        // Windows [lo, hi) meet the image with this column: 0 <= ow * stride - before + kw < in.
        const int64_t shift = w.before - kw, room = w.in - 1 + shift;
        const int64_t lo = shift <= 0 ? 0 : (shift + w.stride - 1) / w.stride;
        const int64_t hi = room < 0 ? 0 : std::min(w.out, room / w.stride + 1);
        if (lo >= hi) continue;
        T* to = y + (row * w.out + lo) * channels;
        const T* from = x + ((n * h.in + h.cell(oh, kh)) * w.in + lo * w.stride - shift) * channels;
        const Operand2D in[2] = {{to, channels, 1}, {from, w.stride * channels, 1}};
        fn(in, to, hi - lo, channels, nullptr);
      }
  }
}

// Integers wrap.
template <class T>
inline void Accumulate(T& sum, T value) {
  if constexpr (std::is_integral_v<T>) sum = static_cast<T>(static_cast<std::make_unsigned_t<T>>(sum) + static_cast<std::make_unsigned_t<T>>(value));
  else sum += value;
}

template <class T>
void MaxRows(const PoolGeometry& g, const T* x, T* y, int64_t begin, int64_t end) {
  if (UsesVectors<T>(g)) {
    std::fill(y + begin * g.width.out * g.channels.out, y + end * g.width.out * g.channels.out, Lowest<T>());
    CombineRows(g, VecOp::kMaximum, x, y, begin, end);
    return;
  }
  ForEachWindow(
      g, begin, end, [&](int64_t out) { std::fill_n(y + out, g.channels.out, Lowest<T>()); },
      [&](int64_t out, int64_t in) {
        T* __restrict to = y + out;
        const T* from = x + in;
        ForEachChannel(g, [&](int64_t c, int64_t cell) { to[c] = Beats(from[cell], to[c]) ? from[cell] : to[c]; });
      },
      [](int64_t, int64_t) {});
}

template <class T>
void MeanRows(const PoolGeometry& g, const T* x, T* y, int64_t begin, int64_t end) {
  if (UsesVectors<T>(g)) {
    const int64_t width = g.width.out * g.channels.out;
    std::fill(y + begin * width, y + end * width, T{});
    CombineRows(g, VecOp::kAdd, x, y, begin, end);
    const ElementwiseFn divide = FindElementwise(VecOp::kDiv, kVecType<T>);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t oh = row % g.height.out, rows = g.height.last(oh) - g.height.first(oh);
      for (int64_t ow = 0; ow < g.width.out; ++ow) {
        T* to = y + row * width + ow * g.channels.out;
        const T cells = static_cast<T>(rows * (g.width.last(ow) - g.width.first(ow)));
        const Operand2D in[2] = {{to, 0, 1}, {&cells, 0, 0}};
        divide(in, to, 1, g.channels.out, nullptr);
      }
    }
    return;
  }
  ForEachWindow(
      g, begin, end, [&](int64_t out) { std::fill_n(y + out, g.channels.out, T{}); },
      [&](int64_t out, int64_t in) {
        T* __restrict to = y + out;
        const T* from = x + in;
        ForEachChannel(g, [&](int64_t c, int64_t cell) { to[c] += from[cell]; });
      },
      [&](int64_t out, int64_t cells) {
        for (int64_t c = 0; c < g.channels.out; ++c) y[out + c] /= static_cast<T>(cells * ChannelCells(g, c));
      });
}

// best and at take value and tap where the value beats the best so far. A function of its own so that it vectorizes.
template <class T>
[[gnu::optimize("O3"), gnu::noinline]] void TakeLarger(T* __restrict best, int32_t* __restrict at, const T* __restrict x, int32_t tap, int64_t n) {
  for (int64_t c = 0; c < n; ++c) {
    const bool beats = Beats(x[c], best[c]);
    best[c] = beats ? x[c] : best[c];
    at[c] = beats ? tap : at[c];
  }
}

// For each window and channel the offset of its first maximum: visit(out, in). Nothing for a window of padding only.
template <class T, class F>
absl::Status ForEachMaximum(std::string_view op, const PoolGeometry& g, const T* x, int64_t begin, int64_t end, F&& visit) {
  const int64_t channels = g.channels.out;
  const auto taps_of = [](const AxisWindows& a) { return std::min(a.window, a.in); };
  Scratch<T> largest;
  Scratch<int32_t> place;
  RETURN_IF_ERROR(largest.Reserve(op, channels));
  RETURN_IF_ERROR(place.Reserve(op, channels));
  T* best = largest.data();
  int32_t* at = place.data();
  const auto taps = CheckedMultiply(taps_of(g.height), taps_of(g.width));
  if (WholeChannels(g) && taps && *taps <= INT32_MAX) {
    Scratch<int64_t> cells;  // of the window's taps: offset of channel 0
    RETURN_IF_ERROR(cells.Reserve(op, *taps));
    int32_t tap = 0;
    ForEachWindow(
        g, begin, end, [&](int64_t) { tap = 0; },
        [&](int64_t, int64_t in) {
          cells.data()[tap] = in;
          if (tap == 0) {
            std::copy_n(x + in, channels, best);
            std::fill_n(at, channels, 0);
          } else {
            TakeLarger(best, at, x + in, tap, channels);
          }
          ++tap;
        },
        [&](int64_t out, int64_t) {
          if (tap == 0) return;
          for (int64_t c = 0; c < channels; ++c) visit(out + c, cells.data()[at[c]] + c);
        });
    return absl::OkStatus();
  }
  Scratch<int64_t> wheres;
  RETURN_IF_ERROR(wheres.Reserve(op, channels));
  int64_t* where = wheres.data();
  ForEachWindow(
      g, begin, end, [&](int64_t) { std::fill_n(where, channels, int64_t{-1}); },
      [&](int64_t, int64_t in) {
        ForEachChannel(g, [&](int64_t c, int64_t cell) {
          if (where[c] >= 0 && !Beats(x[in + cell], best[c])) return;
          best[c] = x[in + cell];
          where[c] = in + cell;
        });
      },
      [&](int64_t out, int64_t) {
        for (int64_t c = 0; c < channels; ++c)
          if (where[c] >= 0) visit(out + c, where[c]);
      });
  return absl::OkStatus();
}

// Windows of one image may overlap, so an image is the unit of work.
template <class F>
absl::Status ForEachImage(const PoolGeometry& g, F&& rows) {
  absl::Status result;
  const int64_t grain = std::max<int64_t>(1, RowGrain(g) / std::max<int64_t>(g.height.out, 1));
  std::atomic<bool> failed = false;
  ParallelFor(g.batch, grain, [&](int64_t begin, int64_t end) {
    absl::Status status = rows(begin * g.height.out, end * g.height.out);
    if (!status.ok() && !failed.exchange(true)) result = std::move(status);
  });
  return result;
}

absl::StatusOr<PoolGeometry> GeometryOf(const KernelCall& call, const TensorRep& image) {
  return PoolGeometry::Of(call.schema.name(), PoolAttrs(call, call.schema), image.dims_span());
}

// T is stored, C computed with.
template <class T, class C = T>
absl::Status MaxPoolKernel(KernelCall& call) {
  ASSIGN_OR_RETURN(const PoolGeometry g, GeometryOf(call, call.input(0)));
  const std::string_view op = call.schema.name();
  ChannelsLast<C> x, y;
  RETURN_IF_ERROR(x.template Load<T>(op, call.input(0), g.batch, g.channels.in, InPixels(g), g.channels_first));
  RETURN_IF_ERROR(y.template Prepare<T>(op, call.output(), g.channels_first));
  ParallelFor(g.batch * g.height.out, RowGrain(g), [&](int64_t begin, int64_t end) { MaxRows(g, x.data(), y.data(), begin, end); });
  return y.template Store<T>(op, call.output(), g.batch, g.channels.out, OutPixels(g), g.channels_first);
}

template <class T, class C = T>
absl::Status MaxPoolGradKernel(KernelCall& call) {
  ASSIGN_OR_RETURN(const PoolGeometry g, GeometryOf(call, call.input(0)));
  const std::string_view op = call.schema.name();
  ChannelsLast<C> x, dy, dx;
  RETURN_IF_ERROR(x.template Load<T>(op, call.input(0), g.batch, g.channels.in, InPixels(g), g.channels_first));
  RETURN_IF_ERROR(dy.template Load<T>(op, call.input(2), g.batch, g.channels.out, OutPixels(g), g.channels_first));
  RETURN_IF_ERROR(dx.template Prepare<T>(op, call.output(), g.channels_first));
  std::fill_n(dx.data(), call.output().count, C{});
  RETURN_IF_ERROR(ForEachImage(g, [&](int64_t begin, int64_t end) {
    return ForEachMaximum(op, g, x.data(), begin, end, [&](int64_t out, int64_t in) { Accumulate(dx.data()[in], dy.data()[out]); });
  }));
  return dx.template Store<T>(op, call.output(), g.batch, g.channels.in, InPixels(g), g.channels_first);
}

template <class T, class C = T>
absl::Status MaxPoolGradGradKernel(KernelCall& call) {
  ASSIGN_OR_RETURN(const PoolGeometry g, GeometryOf(call, call.input(0)));
  const std::string_view op = call.schema.name();
  ChannelsLast<C> x, dx, dy;
  RETURN_IF_ERROR(x.template Load<T>(op, call.input(0), g.batch, g.channels.in, InPixels(g), g.channels_first));
  RETURN_IF_ERROR(dx.template Load<T>(op, call.input(2), g.batch, g.channels.in, InPixels(g), g.channels_first));
  RETURN_IF_ERROR(dy.template Prepare<T>(op, call.output(), g.channels_first));
  std::fill_n(dy.data(), call.output().count, C{});
  RETURN_IF_ERROR(ForEachImage(g, [&](int64_t begin, int64_t end) {
    return ForEachMaximum(op, g, x.data(), begin, end, [&](int64_t out, int64_t in) { dy.data()[out] = dx.data()[in]; });
  }));
  return dy.template Store<T>(op, call.output(), g.batch, g.channels.out, OutPixels(g), g.channels_first);
}

template <class T, class C = T>
absl::Status AvgPoolKernel(KernelCall& call) {
  ASSIGN_OR_RETURN(const PoolGeometry g, GeometryOf(call, call.input(0)));
  const std::string_view op = call.schema.name();
  ChannelsLast<C> x, y;
  RETURN_IF_ERROR(x.template Load<T>(op, call.input(0), g.batch, g.channels.in, InPixels(g), g.channels_first));
  RETURN_IF_ERROR(y.template Prepare<T>(op, call.output(), g.channels_first));
  ParallelFor(g.batch * g.height.out, RowGrain(g), [&](int64_t begin, int64_t end) { MeanRows(g, x.data(), y.data(), begin, end); });
  return y.template Store<T>(op, call.output(), g.batch, g.channels.out, OutPixels(g), g.channels_first);
}

template <class T, class C = T>
absl::Status AvgPoolGradKernel(KernelCall& call) {
  ASSIGN_OR_RETURN(const PoolGeometry g, GeometryOf(call, call.output()));
  const std::string_view op = call.schema.name();
  ChannelsLast<C> dy, dx;
  RETURN_IF_ERROR(dy.template Load<T>(op, call.input(1), g.batch, g.channels.out, OutPixels(g), g.channels_first));
  RETURN_IF_ERROR(dx.template Prepare<T>(op, call.output(), g.channels_first));
  std::fill_n(dx.data(), call.output().count, C{});
  RETURN_IF_ERROR(ForEachImage(g, [&](int64_t begin, int64_t end) {
    Scratch<C> share;  // what each cell of the window gets
    RETURN_IF_ERROR(share.Reserve(op, g.channels.out));
    const AxisWindows &h = g.height, &w = g.width;
    int64_t window = begin * w.out;
    ForEachWindow(
        g, begin, end,
        [&](int64_t out) {
          const int64_t oh = window / w.out % h.out, ow = window % w.out;
          ++window;
          const int64_t cells = (h.last(oh) - h.first(oh)) * (w.last(ow) - w.first(ow));
          for (int64_t c = 0; c < g.channels.out; ++c) share.data()[c] = dy.data()[out + c] / static_cast<C>(cells * ChannelCells(g, c));
        },
        [&](int64_t, int64_t in) {
          C* to = dx.data() + in;
          ForEachChannel(g, [&](int64_t c, int64_t cell) { to[cell] += share.data()[c]; });
        },
        [](int64_t, int64_t) {});
    return absl::OkStatus();
  }));
  return dx.template Store<T>(op, call.output(), g.batch, g.channels.in, InPixels(g), g.channels_first);
}

}  // namespace

void MaxPoolCpu(CpuKernel& k) {
  k.Set(kFloat32, MaxPoolKernel<float>);
  k.Set(kFloat64, MaxPoolKernel<double>);
  k.Set(kFloat16, MaxPoolKernel<Half, float>);
  k.Set(kBFloat16, MaxPoolKernel<BFloat16, float>);
  k.Set(kInt32, MaxPoolKernel<int32_t>);
  k.Set(kInt64, MaxPoolKernel<int64_t>);
  k.Set(kUint8, MaxPoolKernel<uint8_t>);
  k.Set(kInt8, MaxPoolKernel<int8_t>);
  k.Set(kInt16, MaxPoolKernel<int16_t>);
  k.Set(kUint16, MaxPoolKernel<uint16_t>);
}

void MaxPoolGradCpu(CpuKernel& k) {
  k.Set(kFloat32, MaxPoolGradKernel<float>);
  k.Set(kFloat64, MaxPoolGradKernel<double>);
  k.Set(kFloat16, MaxPoolGradKernel<Half, float>);
  k.Set(kBFloat16, MaxPoolGradKernel<BFloat16, float>);
  k.Set(kInt32, MaxPoolGradKernel<int32_t>);
  k.Set(kInt64, MaxPoolGradKernel<int64_t>);
  k.Set(kUint8, MaxPoolGradKernel<uint8_t, int64_t>);
  k.Set(kInt8, MaxPoolGradKernel<int8_t, int64_t>);
  k.Set(kInt16, MaxPoolGradKernel<int16_t, int64_t>);
  k.Set(kUint16, MaxPoolGradKernel<uint16_t, int64_t>);
}

void MaxPoolGradGradCpu(CpuKernel& k) {
  k.Set(kFloat32, MaxPoolGradGradKernel<float>);
  k.Set(kFloat64, MaxPoolGradGradKernel<double>);
  k.Set(kFloat16, MaxPoolGradGradKernel<Half, float>);
  k.Set(kBFloat16, MaxPoolGradGradKernel<BFloat16, float>);
  k.Set(kInt32, MaxPoolGradGradKernel<int32_t>);
  k.Set(kInt64, MaxPoolGradGradKernel<int64_t>);
  k.Set(kUint8, MaxPoolGradGradKernel<uint8_t, int64_t>);
  k.Set(kInt8, MaxPoolGradGradKernel<int8_t, int64_t>);
  k.Set(kInt16, MaxPoolGradGradKernel<int16_t, int64_t>);
  k.Set(kUint16, MaxPoolGradGradKernel<uint16_t, int64_t>);
}

void AvgPoolCpu(CpuKernel& k) {
  k.Set(kFloat32, AvgPoolKernel<float>);
  k.Set(kFloat64, AvgPoolKernel<double>);
  k.Set(kFloat16, AvgPoolKernel<Half, float>);
  k.Set(kBFloat16, AvgPoolKernel<BFloat16, float>);
}

void AvgPoolGradCpu(CpuKernel& k) {
  k.Set(kFloat32, AvgPoolGradKernel<float>);
  k.Set(kFloat64, AvgPoolGradKernel<double>);
  k.Set(kFloat16, AvgPoolGradKernel<Half, float>);
  k.Set(kBFloat16, AvgPoolGradKernel<BFloat16, float>);
}

}  // namespace tandem
