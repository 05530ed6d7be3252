#include "core/indexed_slices.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

#include "core/context.h"
#include "core/int_values.h"
#include "core/ops/concat.h"
#include "core/ops/gather.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"
#include "core/ops/slice.h"
#include "core/symbolic.h"
#include "core/visit.h"

namespace tandem {
namespace {

// Up to this size zeros are written, beyond it pages are mapped.
constexpr int64_t kMaxWritten = 256 << 10;

// What a sparse gradient's memory belongs to.
struct SparseMemory {
  IndexedSlices slices;
  Tensor written;         // the memory, when small
  void* pages = nullptr;  // else this
  size_t bytes = 0;
  ~SparseMemory() {
    if (pages) munmap(pages, bytes);
  }
};
void Release(void* context) { delete static_cast<SparseMemory*>(context); }

// Sums in the order of the rows, half types in float32 and rounded once: the bits of UnsortedSegmentSum.
template <class T>
void AddRows(T* out, const T* values, const TensorRep& indices, int64_t width) {
  if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) {
    std::vector<int64_t> order(indices.count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return IntValue(indices, a) < IntValue(indices, b); });
    std::vector<float> sum(width);
    for (size_t i = 0; i < order.size();) {
      const int64_t row = IntValue(indices, order[i]);
      std::fill(sum.begin(), sum.end(), 0.f);
      for (; i < order.size() && IntValue(indices, order[i]) == row; ++i)
        for (int64_t k = 0; k < width; ++k) sum[k] += static_cast<float>(values[order[i] * width + k]);
      for (int64_t k = 0; k < width; ++k) out[row * width + k] = T(sum[k]);
    }
  } else {
    for (int64_t i = 0; i < indices.count; ++i) {
      T* row = out + IntValue(indices, i) * width;
      for (int64_t k = 0; k < width; ++k) row[k] += values[i * width + k];
    }
  }
}

// The dense form of slices whose indices are good; undefined when the memory cannot be had.
Tensor MakeSparse(IndexedSlices slices, const Shape& shape) {
  const TensorRep &values = *slices.values.rep(), &indices = *slices.indices.rep();
  const auto count = shape.num_elements();
  const auto bytes = count ? CheckedMultiply(*count, static_cast<int64_t>(DTypeSize(values.dtype))) : std::nullopt;
  if (!bytes || *bytes == 0) return Tensor();
  auto memory = std::make_unique<SparseMemory>();
  void* data = nullptr;
  if (*bytes <= kMaxWritten) {
    TensorRep* zeros = NewRep(values.dtype, shape.dims(), *count);
    if (!zeros) return Tensor();
    memory->written = Tensor::Adopt(zeros);
    data = std::memset(zeros->data, 0, static_cast<size_t>(*bytes));
  } else {
    data = mmap(nullptr, static_cast<size_t>(*bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) return Tensor();
    memory->pages = data;
    memory->bytes = static_cast<size_t>(*bytes);
    madvise(data, memory->bytes, MADV_NOHUGEPAGE);  // a touched row costs its page, not two megabytes
  }
  const int64_t width = indices.count ? values.count / indices.count : 0;
  VisitNumeric(values.dtype, [&]<class T>(T) {
    if constexpr (!std::integral<T>) AddRows(static_cast<T*>(data), values.as<T>(), indices, width);
  });
  memory->slices = std::move(slices);
  auto external = std::make_unique<ExternalData>(ExternalData{Release, memory.get()});
  TensorRep* rep = NewExternal(values.dtype, shape.dims(), *count, data, external.get());
  if (!rep) return Tensor();
  external.release();
  memory.release();
  return Tensor::Adopt(rep);
}

bool HasValue(const Tensor& t) { return t.defined() && !t.symbolic() && t.rep()->storage != Storage::kDevice; }

// A tape sees the tensor as the sum of values by indices that it is.
Tensor Record(Tensor sparse, const Tensor& values, const Tensor& indices) {
  Context& context = CurrentContext();
  if (!sparse.defined() || &context.base() == &context) return sparse;
  Tensors outputs = {std::move(sparse)};
  ThrowIfError(context.RecordCustom("GradientOfRows", {values}, outputs, [indices](const Tensors& dy) { return Tensors{Gather(dy[0], indices)}; }, Origin()));
  return outputs[0];
}

// The inputs of the node that computes t, when it is a call of that op.
std::optional<Tensors> InputsOf(const Tensor& t, OpId op) {
  SymbolicGraph* graph = GraphOf(t);
  return graph ? graph->InputsOfNode(t.rep()->symbol().node, op) : std::nullopt;
}

}  // namespace

Tensor GradientOfRows(const Tensor& dy, const Tensor& indices, const Ints& table_shape, const Shape& static_shape) {
  const Shape rows = indices.shape();
  // [I..., D...] -> [R, D...], [I...] -> [R].
  Tensor values = dy, ids = indices;
  if (!rows.known_rank() || rows.rank() != 1) {
    ids = Reshape(indices, -1);
    if (static_shape.fully_known()) {
      Shape flat = {-1};
      int64_t width = 1;
      for (int k = 1; k < static_shape.rank(); ++k) {
        flat.push_back(static_shape[k]);
        width *= static_shape[k];
      }
      if (width == 0) flat[0] = ids.shape()[0];
      values = Reshape(dy, Ints(flat));
    } else {
      values = Reshape(dy, Ints(Concat({Tensor(std::vector<int32_t>{-1}), Slice(table_shape.tensor(), {1}, {-1})}, 0)));
    }
  }
  if (HasValue(values) && HasValue(ids) && static_shape.fully_known())
    if (Tensor sparse = Record(MakeSparse({values, ids}, static_shape), values, ids); sparse.defined()) return sparse;
  const Tensor num_rows = static_shape.known_rank() && static_shape[0] >= 0 ? Tensor(static_shape[0]) : Reshape(Slice(table_shape.tensor(), {0}, {1}), Ints(Shape{}));
  return UnsortedSegmentSum(values, ids, num_rows);
}

std::optional<IndexedSlices> SlicesOf(const Tensor& gradient) {
  if (!gradient.defined()) return std::nullopt;
  const TensorRep& rep = *gradient.rep();
  if (rep.storage == Storage::kExternal && rep.external->release == Release) return static_cast<const SparseMemory*>(rep.external->context)->slices;
  if (!rep.symbolic()) return std::nullopt;
  if (const auto sum = InputsOf(gradient, Op<"UnsortedSegmentSum">())) return IndexedSlices{(*sum)[0], (*sum)[1]};
  return std::nullopt;
}

Tensor SumOfSlices(std::span<const Tensor> parts) {
  if (parts.size() < 2 || !SlicesOf(parts[0])) return Tensor();  // mostly
  const bool symbolic = parts[0].symbolic();
  Tensors values, indices;
  for (const Tensor& part : parts) {
    const auto slices = SlicesOf(part);
    if (!slices || slices->indices.dtype() != (indices.empty() ? slices->indices : indices[0]).dtype()) return Tensor();
    values.push_back(slices->values);
    indices.push_back(slices->indices);
  }
  const Tensor all = Concat(values, 0), ids = Concat(indices, 0);
  if (!symbolic) return Record(MakeSparse({all, ids}, parts[0].shape()), all, ids);
  return UnsortedSegmentSum(all, ids, (*InputsOf(parts[0], Op<"UnsortedSegmentSum">()))[2]);
}

}  // namespace tandem
