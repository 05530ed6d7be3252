#include <cmath>

#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

// x as [rows, channels].
struct Layout {
  int64_t batch, channels, pixels;
  bool channels_first;
  int64_t rows() const { return batch * pixels; }
};

Layout LayoutOf(const KernelCall& call, const TensorRep& x) {
  const auto format = call.attr<std::string_view>("data_format");
  const auto dims = x.dims_span();
  const int axis = format[1] == 'C' ? 1 : x.rank - 1;
  Layout l{dims[0], dims[axis], 1, axis == 1};
  for (int i = 1; i < x.rank; ++i)
    if (i != axis) l.pixels *= dims[i];
  return l;
}

// Sums over rows, channel by channel, of `terms` values that visit(row, sums) adds to sums[term * channels + c]. Blocks
// of fixed size are summed in float and then added in double, in order: the result does not depend on threads.
template <class F>
absl::Status SumRows(std::string_view op, const Layout& l, int terms, double* totals, F&& visit) {
  constexpr int64_t kBlock = 128;
  const int64_t width = terms * l.channels, blocks = (l.rows() + kBlock - 1) / kBlock;
  std::fill_n(totals, width, 0.0);
  if (!blocks || !width) return absl::OkStatus();
  Scratch<float> partial;
  RETURN_IF_ERROR(partial.Reserve(op, blocks * width));
  ParallelFor(blocks, std::max<int64_t>(1, (1 << 15) / (kBlock * width)), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      float* sums = partial.data() + b * width;
      std::fill_n(sums, width, 0.0f);
      for (int64_t row = b * kBlock; row < std::min(l.rows(), (b + 1) * kBlock); ++row) visit(row, sums);
    }
  });
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t i = 0; i < width; ++i) totals[i] += partial.data()[b * width + i];
  return absl::OkStatus();
}

// Loops over the channels of one row, functions of their own so that they vectorize.
[[gnu::optimize("O3"), gnu::noinline]] void AddRow(float* __restrict sums, const float* __restrict x, int64_t n) {
  for (int64_t c = 0; c < n; ++c) sums[c] += x[c];
}
[[gnu::optimize("O3"), gnu::noinline]] void AddSquaredDistances(float* __restrict sums, const float* __restrict x, const float* __restrict mean, int64_t n) {
  for (int64_t c = 0; c < n; ++c) sums[c] += (x[c] - mean[c]) * (x[c] - mean[c]);
}
[[gnu::optimize("O3"), gnu::noinline]] void AddProducts(float* __restrict sums, const float* __restrict dy, const float* __restrict x,
                                                       const float* __restrict mean, const float* __restrict inverse, int64_t n) {
  for (int64_t c = 0; c < n; ++c) sums[c] += dy[c] * ((x[c] - mean[c]) * inverse[c]);
}
[[gnu::optimize("O3"), gnu::noinline]] void NormalizeRow(float* __restrict y, const float* __restrict x, const float* __restrict mean,
                                                        const float* __restrict factor, const float* __restrict offset, int64_t n) {
  for (int64_t c = 0; c < n; ++c) y[c] = (x[c] - mean[c]) * factor[c] + offset[c];
}

template <class F>
void ForEachRow(const Layout& l, F&& visit) {
  ParallelFor(l.rows(), std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(l.channels, 1)), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) visit(row);
  });
}

// Parameters lie in float32 only: U = bfloat16 has no kernel.
absl::Status CheckParameters(const KernelCall& call) {
  const DType u = call.attr<DType>("U");
  return u == kFloat32 ? absl::OkStatus() : NoKernelError(call.schema, u);
}

template <class T>
absl::Status FusedBatchNorm(KernelCall& call) {
  RETURN_IF_ERROR(CheckParameters(call));
  const std::string_view op = call.schema.name();
  const TensorRep& input = call.input(0);
  const Layout l = LayoutOf(call, input);
  const int64_t n = l.channels, rows = l.rows();
  const float *scale = call.input(1).as<float>(), *offset = call.input(2).as<float>();
  const float epsilon = call.attr<float>("epsilon"), factor = call.attr<float>("exponential_avg_factor");
  const bool training = call.attr<bool>("is_training");
  float *batch_mean = call.output(1).as<float>(), *batch_variance = call.output(2).as<float>();
  float *mean = call.output(3).as<float>(), *variance = call.output(4).as<float>();  // what y is made with

  ChannelsLast<float> x, y;
  RETURN_IF_ERROR(x.Load<T>(op, input, l.batch, n, l.pixels, l.channels_first));
  RETURN_IF_ERROR(y.Prepare<T>(op, call.output(0), l.channels_first));
  if (training) {
    Scratch<double> totals;
    RETURN_IF_ERROR(totals.Reserve(op, n));
    RETURN_IF_ERROR(SumRows(op, l, 1, totals.data(), [&](int64_t row, float* sums) {
      AddRow(sums, x.data() + row * n, n);
    }));
    for (int64_t c = 0; c < n; ++c) mean[c] = static_cast<float>(totals.data()[c] / static_cast<double>(rows));
    RETURN_IF_ERROR(SumRows(op, l, 1, totals.data(), [&](int64_t row, float* sums) {
      AddSquaredDistances(sums, x.data() + row * n, mean, n);
    }));
    for (int64_t c = 0; c < n; ++c) {
      variance[c] = static_cast<float>(totals.data()[c] / static_cast<double>(rows));
      const double unbiased = totals.data()[c] / static_cast<double>(rows > 1 ? rows - 1 : rows);
      batch_mean[c] = mean[c];
      batch_variance[c] = static_cast<float>(unbiased);
      if (factor != 1.0f) {
        batch_mean[c] = (1 - factor) * call.input(3).as<float>()[c] + factor * mean[c];
        batch_variance[c] = (1 - factor) * call.input(4).as<float>()[c] + factor * static_cast<float>(unbiased);
      }
    }
  } else {
    for (int64_t c = 0; c < n; ++c) {
      mean[c] = batch_mean[c] = call.input(3).as<float>()[c];
      variance[c] = batch_variance[c] = call.input(4).as<float>()[c];
    }
  }
  Scratch<float> factors;
  RETURN_IF_ERROR(factors.Reserve(op, n));
  for (int64_t c = 0; c < n; ++c) factors.data()[c] = scale[c] / std::sqrt(variance[c] + epsilon);
  ForEachRow(l, [&](int64_t row) { NormalizeRow(y.data() + row * n, x.data() + row * n, mean, factors.data(), offset, n); });
  return y.Store<T>(op, call.output(0), l.batch, n, l.pixels, l.channels_first);
}

// With xh = (x - mean) / sqrt(variance + epsilon): d offset = sum dy, d scale = sum dy*xh, and in training
// dx = scale / sqrt(variance + epsilon) * (dy - mean(dy) - xh * mean(dy*xh)) (Ioffe and Szegedy 2015).
template <class T>
absl::Status FusedBatchNormGrad(KernelCall& call) {
  const std::string_view op = call.schema.name();
  const Layout l = LayoutOf(call, call.input(1));
  const int64_t n = l.channels;
  const float *scale = call.input(2).as<float>(), *mean = call.input(3).as<float>(), *variance = call.input(4).as<float>();
  const float epsilon = call.attr<float>("epsilon");
  ChannelsLast<float> dy, x, dx;
  RETURN_IF_ERROR(dy.Load<T>(op, call.input(0), l.batch, n, l.pixels, l.channels_first));
  RETURN_IF_ERROR(x.Load<T>(op, call.input(1), l.batch, n, l.pixels, l.channels_first));
  RETURN_IF_ERROR(dx.Prepare<T>(op, call.output(0), l.channels_first));
  Scratch<float> inverse, shift, slope;
  Scratch<double> totals;
  for (Scratch<float>* s : {&inverse, &shift, &slope}) RETURN_IF_ERROR(s->Reserve(op, n));
  RETURN_IF_ERROR(totals.Reserve(op, 2 * n));
  for (int64_t c = 0; c < n; ++c) inverse.data()[c] = 1.0f / std::sqrt(variance[c] + epsilon);
  RETURN_IF_ERROR(SumRows(op, l, 2, totals.data(), [&](int64_t row, float* sums) {
    AddRow(sums, dy.data() + row * n, n);
    AddProducts(sums + n, dy.data() + row * n, x.data() + row * n, mean, inverse.data(), n);
  }));
  const bool training = call.attr<bool>("is_training");
  const auto rows = static_cast<double>(l.rows());
  for (int64_t c = 0; c < n; ++c) {
    call.output(2).as<float>()[c] = static_cast<float>(totals.data()[c]);
    call.output(1).as<float>()[c] = static_cast<float>(totals.data()[n + c]);
    shift.data()[c] = training ? static_cast<float>(totals.data()[c] / rows) : 0.0f;
    slope.data()[c] = training ? static_cast<float>(totals.data()[n + c] / rows) : 0.0f;
  }
  ForEachRow(l, [&](int64_t row) {
    const float *d = dy.data() + row * n, *from = x.data() + row * n;
    float* to = dx.data() + row * n;
    if (training) {
      for (int64_t c = 0; c < n; ++c) {
        const float normal = (from[c] - mean[c]) * inverse.data()[c];
        to[c] = scale[c] * inverse.data()[c] * (d[c] - shift.data()[c] - normal * slope.data()[c]);
      }
    } else {
      for (int64_t c = 0; c < n; ++c) to[c] = d[c] * (scale[c] * inverse.data()[c]);
    }
  });
  return dx.Store<T>(op, call.output(0), l.batch, n, l.pixels, l.channels_first);
}

}  // namespace

void FusedBatchNormV3Cpu(CpuKernel& k) {
  k.Set(kFloat32, FusedBatchNorm<float>);
  k.Set(kFloat16, FusedBatchNorm<Half>);
  k.Set(kBFloat16, FusedBatchNorm<BFloat16>);
}
void FusedBatchNormGradV3Cpu(CpuKernel& k) {
  k.Set(kFloat32, FusedBatchNormGrad<float>);
  k.Set(kFloat16, FusedBatchNormGrad<Half>);
  k.Set(kBFloat16, FusedBatchNormGrad<BFloat16>);
}

}  // namespace tandem
