// Softmax, LogSoftmax and the cross-entropies, on the row kernels of kernels/vector. Half types compute in float32.
#include <algorithm>

#include "core/int_values.h"
#include "core/kernel.h"
#include "core/parallel.h"
#include "kernels/cpu/check_indices.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/widen.h"
#include "kernels/vector/reduce.h"
#include "kernels/vector/softmax.h"

namespace tandem {
namespace {

using RowsFn = void (*)(VecType type, const void* x, void* y, int64_t rows, int64_t n);
constexpr int64_t kGrain = 8 << 10;  // elements that are worth a task

template <class T>
constexpr VecType kVecType = std::same_as<T, double> ? VecType::kF64 : VecType::kF32;

template <RowsFn Rows>
absl::Status SoftmaxKernel(KernelCall& call) {
  const TensorRep& x = call.input(0);
  TensorRep& y = call.output();
  if (x.count == 0) return absl::OkStatus();
  const int64_t n = x.dims()[x.rank - 1], rows = x.count / n, grain = std::max<int64_t>(kGrain / n, 1);
  const auto size = static_cast<int64_t>(DTypeSize(x.dtype));
  if (x.dtype == kFloat32 || x.dtype == kFloat64) {
    const VecType type = x.dtype == kFloat32 ? VecType::kF32 : VecType::kF64;
    ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
      Rows(type, x.as<char>() + begin * n * size, y.as<char>() + begin * n * size, end - begin, n);
    });
    return absl::OkStatus();
  }
  Scratch<float> wide;
  RETURN_IF_ERROR(wide.Reserve(call.schema.name(), x.count));
  ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    float* at = wide.data() + begin * n;
    const int64_t count = (end - begin) * n;
    Widen(x.dtype, x.as<char>() + begin * n * size, at, count);
    Rows(VecType::kF32, at, at, end - begin, n);
    Narrow(y.dtype, at, y.as<char>() + begin * n * size, count);
  });
  return absl::OkStatus();
}

// What a row of a cross-entropy is computed in: logits, label weights, and their log-softmax, softmax.
template <class T>
struct RowBuffers {
  Scratch<T> memory;
  T *features, *labels, *log, *softmax;
  absl::Status Reserve(std::string_view op, int64_t n) {
    RETURN_IF_ERROR(memory.Reserve(op, 4 * n));
    features = memory.data();
    labels = features + n;
    log = labels + n;
    softmax = log + n;
    return absl::OkStatus();
  }
};

// Row r of a matrix that broadcasts to n columns, widened to T.
template <class T>
void LoadRow(const TensorRep& x, int64_t r, int64_t n, T* out) {
  const int64_t cols = x.dims()[1];
  const auto size = static_cast<int64_t>(DTypeSize(x.dtype));
  const char* from = x.as<char>() + (x.dims()[0] == 1 ? 0 : r) * cols * size;
  if (x.dtype == DTypeOf<T>()) std::copy_n(reinterpret_cast<const T*>(from), cols, out);
  else if constexpr (std::same_as<T, float>) Widen(x.dtype, from, out, cols);
  if (cols == 1) std::fill(out + 1, out + n, out[0]);
}
template <class T>
void StoreRow(const T* row, TensorRep& y, int64_t at, int64_t n) {
  const auto size = static_cast<int64_t>(DTypeSize(y.dtype));
  if (y.dtype == DTypeOf<T>()) std::copy_n(row, n, y.as<T>() + at);
  else if constexpr (std::same_as<T, float>) Narrow(y.dtype, row, y.as<char>() + at * size, n);
}

// loss = sum(labels * -log softmax), backprop = softmax - labels.
template <class T>
absl::Status CrossEntropyOf(KernelCall& call) {
  TensorRep &loss = call.output(0), &backprop = call.output(1);
  const int64_t rows = backprop.dims()[0], n = backprop.dims()[1];
  if (rows == 0) return absl::OkStatus();
  // The buffers of all tasks are had before the loop, which cannot fail.
  const int64_t grain = std::max<int64_t>(kGrain / std::max<int64_t>(n, 1), 1), tasks = std::min<int64_t>(rows, NumThreads());
  std::vector<RowBuffers<T>> buffers(static_cast<size_t>(tasks));
  for (auto& b : buffers) RETURN_IF_ERROR(b.Reserve(call.schema.name(), std::max<int64_t>(n, 1)));
  ParallelFor(tasks, std::max<int64_t>(grain * tasks / rows, 1), [&](int64_t first, int64_t last) {
    RowBuffers<T>& b = buffers[static_cast<size_t>(first)];
    for (int64_t r = rows * first / tasks; r < rows * last / tasks; ++r) {
      LoadRow(call.input(0), r, n, b.features);
      LoadRow(call.input(1), r, n, b.labels);
      LogSoftmax(kVecType<T>, b.features, b.log, 1, n);
      Softmax(kVecType<T>, b.features, b.softmax, 1, n);
      for (int64_t j = 0; j < n; ++j) {
        b.log[j] = b.labels[j] * -b.log[j];
        b.softmax[j] -= b.labels[j];
      }
      T sum;
      Reduce(ReduceOp::kSum, kVecType<T>, b.log, &sum, 1, n, 1, 0, 1);
      StoreRow(&sum, loss, r, 1);
      StoreRow(b.softmax, backprop, r * n, n);
    }
  });
  return absl::OkStatus();
}

// loss = -log softmax[label], backprop = softmax - onehot(label).
template <class T>
absl::Status SparseCrossEntropyOf(KernelCall& call) {
  const TensorRep &features = call.input(0), &labels = call.input(1);
  TensorRep &loss = call.output(0), &backprop = call.output(1);
  const int64_t rows = features.dims()[0], n = features.dims()[1];
  RETURN_IF_ERROR(labels.dtype == kInt32 ? CheckIndices<int32_t>(call, "labels", labels, n) : CheckIndices<int64_t>(call, "labels", labels, n));
  if (rows == 0) return absl::OkStatus();
  const int64_t grain = std::max<int64_t>(kGrain / n, 1), tasks = std::min<int64_t>(rows, NumThreads());
  std::vector<RowBuffers<T>> buffers(static_cast<size_t>(tasks));
  for (auto& b : buffers) RETURN_IF_ERROR(b.Reserve(call.schema.name(), n));
  ParallelFor(tasks, std::max<int64_t>(grain * tasks / rows, 1), [&](int64_t first, int64_t last) {
    RowBuffers<T>& b = buffers[static_cast<size_t>(first)];
    for (int64_t r = rows * first / tasks; r < rows * last / tasks; ++r) {
      const int64_t label = IntValue(labels, r);
      LoadRow(features, r, n, b.features);
      LogSoftmax(kVecType<T>, b.features, b.log, 1, n);
      Softmax(kVecType<T>, b.features, b.softmax, 1, n);
      const T row_loss = -b.log[label];
      b.softmax[label] -= T(1);
      StoreRow(&row_loss, loss, r, 1);
      StoreRow(b.softmax, backprop, r * n, n);
    }
  });
  return absl::OkStatus();
}

constexpr std::initializer_list<DType> kFloats = {kFloat32, kFloat16, kBFloat16};

}  // namespace

void SoftmaxCpu(CpuKernel& k) { k.Set({kFloat32, kFloat64, kFloat16, kBFloat16}, SoftmaxKernel<Softmax>); }
void LogSoftmaxCpu(CpuKernel& k) { k.Set({kFloat32, kFloat64, kFloat16, kBFloat16}, SoftmaxKernel<LogSoftmax>); }
void SoftmaxCrossEntropyWithLogitsCpu(CpuKernel& k) {
  k.Set(kFloats, CrossEntropyOf<float>);
  k.Set(kFloat64, CrossEntropyOf<double>);
}
void SparseSoftmaxCrossEntropyWithLogitsCpu(CpuKernel& k) {
  k.Set(kFloats, SparseCrossEntropyOf<float>);
  k.Set(kFloat64, SparseCrossEntropyOf<double>);
}

}  // namespace tandem
