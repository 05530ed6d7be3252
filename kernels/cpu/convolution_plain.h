// Convolutions by plain loops, channels last: for element types oneDNN does not take, and shapes it refuses.
//
//   PlainConvolution(ConvolutionPart::kOutput, g, x, w, y);      // y from x and w
//   PlainConvolution(ConvolutionPart::kInput, g, dx, w, dy);     // dx from w and dy
//   PlainConvolution(ConvolutionPart::kFilter, g, x, dw, dy);    // dw from x and dy
//
// x: [batch,h,w,channels], w: [kh,kw,channels/groups,filters], y: [batch,oh,ow,filters]. Sums run over windows in
// row-major order; results do not depend on threads.
#pragma once
#include <cstring>

#include "core/ops/window.h"
#include "core/parallel.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/plain_gemm.h"

namespace tandem {

enum class ConvolutionPart { kOutput, kInput, kFilter };

// Calls visit(x_offset, w_offset, y_offset) for each pair of a cell and a tap, in row-major order: offsets of channel 0
// of the first group. Output rows [begin, end) of all images, taps of rows [kh_begin, kh_end).
template <class F>
void ForEachTap(const ConvolutionGeometry& g, int64_t begin, int64_t end, int64_t kh_begin, int64_t kh_end, F&& visit) {
  const AxisWindows &h = g.height, &w = g.width;
  const int64_t tap = g.channels / g.groups * g.filters;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / h.out, oh = row % h.out;
    for (int64_t ow = 0; ow < w.out; ++ow)
      for (int64_t kh = std::max(kh_begin, h.first(oh)); kh < std::min(kh_end, h.last(oh)); ++kh)
        for (int64_t kw = w.first(ow); kw < w.last(ow); ++kw)
          visit(((n * h.in + h.cell(oh, kh)) * w.in + w.cell(ow, kw)) * g.channels, (kh * w.window + kw) * tap, (row * w.out + ow) * g.filters);
  }
}

template <class T>
void PlainConvolution(ConvolutionPart part, const ConvolutionGeometry& g, T* x, T* w, T* y) {
  using plain_gemm::MultiplyAdd;
  const int64_t rows = g.batch * g.height.out;
  const int64_t depth = g.channels / g.groups, width = g.filters / g.groups;
  const int64_t work = std::max<int64_t>(g.width.out * g.height.window * g.width.window * depth * g.filters, 1);
  const int64_t grain = std::max<int64_t>(1, (1 << 16) / work);
  switch (part) {
    case ConvolutionPart::kOutput:
      ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
        std::fill(y + begin * g.width.out * g.filters, y + end * g.width.out * g.filters, T{});
        ForEachTap(g, begin, end, 0, g.height.window, [&](int64_t xo, int64_t wo, int64_t yo) {
          for (int64_t c = 0; c < g.channels; ++c) {
            const T value = x[xo + c];
            const T* taps = w + wo + c % depth * g.filters + c / depth * width;
            T* out = y + yo + c / depth * width;
            for (int64_t f = 0; f < width; ++f) out[f] = MultiplyAdd(out[f], value, taps[f]);
          }
        });
      });
      return;
    case ConvolutionPart::kInput:
      ParallelFor(g.batch, 1, [&](int64_t begin, int64_t end) {
        const int64_t image = g.height.in * g.width.in * g.channels;
        std::fill(x + begin * image, x + end * image, T{});
        ForEachTap(g, begin * g.height.out, end * g.height.out, 0, g.height.window, [&](int64_t xo, int64_t wo, int64_t yo) {
          for (int64_t c = 0; c < g.channels; ++c) {
            const T* taps = w + wo + c % depth * g.filters + c / depth * width;
            const T* dy = y + yo + c / depth * width;
            T sum = x[xo + c];
            for (int64_t f = 0; f < width; ++f) sum = MultiplyAdd(sum, dy[f], taps[f]);
            x[xo + c] = sum;
          }
        });
      });
      return;
    case ConvolutionPart::kFilter:
      ParallelFor(g.height.window, 1, [&](int64_t begin, int64_t end) {
        const int64_t row = g.width.window * depth * g.filters;
        std::fill(w + begin * row, w + end * row, T{});
        ForEachTap(g, 0, rows, begin, end, [&](int64_t xo, int64_t wo, int64_t yo) {
          for (int64_t c = 0; c < g.channels; ++c) {
            const T value = x[xo + c];
            const T* dy = y + yo + c / depth * width;
            T* taps = w + wo + c % depth * g.filters + c / depth * width;
            for (int64_t f = 0; f < width; ++f) taps[f] = MultiplyAdd(taps[f], value, dy[f]);
          }
        });
      });
  }
}

}  // namespace tandem
