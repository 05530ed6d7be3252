#include "kernels/cpu/reduction.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/int_values.h"
#include "core/parallel.h"
#include "core/kernel.h"

namespace tandem {
namespace {

constexpr int64_t kDenseBlock = 4096;    // elements of a leaf where the reduced axis is the last
constexpr int64_t kRowBlock = 64;        // rows of a leaf elsewhere
constexpr int64_t kGrain = 32 << 10;     // elements that are worth a task
constexpr int64_t kScratchBytes = 32 << 10;

struct Middle {
  const FoldKernel& f;
  const char* in;
  int64_t in_size, acc_size;  // bytes of an element
  int64_t n, inner, block;

  // The tree over leaves [first, last) for cols columns from j on of outer index o, into acc. scratch holds one row of
  // cols for each level below.
  void Tree(int64_t o, int64_t j, int64_t cols, int64_t first, int64_t last, char* acc, char* scratch) const {
    if (last - first == 1) {
      const int64_t row = first * block, rows = std::min(block, n - row);
      const char* at = in + ((o * n + row) * inner + j) * in_size;
      if (inner == 1) f.dense(at, 1, rows, acc);
      else f.rows(at, rows, inner, cols, acc);
      return;
    }
    const int64_t middle = first + static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(last - first - 1)));
    Tree(o, j, cols, first, middle, acc, scratch);
    Tree(o, j, cols, middle, last, scratch, scratch + cols * acc_size);
    f.merge(acc, scratch, cols);
  }
};

// The same tree over parts that are nodes of it: part p at parts + p * stride.
void Join(const FoldKernel& f, const char* parts, int64_t stride, int64_t first, int64_t last, int64_t cols, int64_t acc_size,
          char* acc, char* scratch) {
  if (last - first == 1) {
    std::memcpy(acc, parts + first * stride, cols * acc_size);
    return;
  }
  const int64_t middle = first + static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(last - first - 1)));
  Join(f, parts, stride, first, middle, cols, acc_size, acc, scratch);
  Join(f, parts, stride, middle, last, cols, acc_size, scratch, scratch + cols * acc_size);
  f.merge(acc, scratch, cols);
}

int64_t DivideUp(int64_t a, int64_t b) { return a / b + (a % b != 0); }

absl::StatusOr<Tensor> Scratch(DType dtype, int64_t n) {
  TensorRep* rep = NewRep(dtype, {&n, 1}, n);
  if (!rep) return OutOfMemoryError("reduction", dtype, {&n, 1});
  return Tensor::Adopt(rep);
}

}  // namespace

absl::Status FoldMiddle(const FoldKernel& f, DType in_dtype, const void* in, int64_t outer, int64_t n, int64_t inner, void* acc) {
  if (outer == 0 || inner == 0) return absl::OkStatus();
  const auto in_size = static_cast<int64_t>(DTypeSize(in_dtype)), acc_size = static_cast<int64_t>(DTypeSize(f.acc));
  char* const out = static_cast<char*>(acc);
  if (n == 0) {
    f.rows(in, 0, 0, outer * inner, acc);
    return absl::OkStatus();
  }
  if (inner == 1 && n <= kDenseBlock) {
    ParallelFor(outer, std::max<int64_t>(kGrain / n, 1), [&](int64_t begin, int64_t end) {
      f.dense(static_cast<const char*>(in) + begin * n * in_size, end - begin, n, out + begin * acc_size);
    });
    return absl::OkStatus();
  }
  const Middle middle{f, static_cast<const char*>(in), in_size, acc_size, n, inner, inner == 1 ? kDenseBlock : kRowBlock};
  const int64_t blocks = DivideUp(n, middle.block), levels = std::bit_width(static_cast<uint64_t>(blocks));
  const int64_t tile = std::min(inner, kScratchBytes / (levels * acc_size)), tiles = DivideUp(inner, tile);

  // Too few columns for the cores: the tree is cut at nodes of 2^k leaves, whose results join in the same order.
  auto part = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(blocks)));
  const int64_t want = 4 * NumThreads();
  if (want > 4)
    while (part > 1 && outer * tiles * DivideUp(blocks, part) < want && part * middle.block * tile > kGrain) part /= 2;
  const int64_t parts = DivideUp(blocks, part);

  Tensor joined;
  char* nodes = out;
  if (parts > 1) {
    ASSIGN_OR_RETURN(joined, Scratch(f.acc, parts * outer * inner));
    nodes = joined.rep()->as<char>();
  }
  const int64_t work = std::min(part, blocks) * middle.block * tile;
  ParallelFor(parts * outer * tiles, std::max<int64_t>(kGrain / work, 1), [&](int64_t begin, int64_t end) {
    alignas(64) char scratch[kScratchBytes];
    for (int64_t t = begin; t < end; ++t) {
      const int64_t p = t / (outer * tiles), o = t / tiles % outer, j = t % tiles * tile;
      const int64_t cols = std::min(tile, inner - j);
      middle.Tree(o, j, cols, p * part, std::min((p + 1) * part, blocks), nodes + ((p * outer + o) * inner + j) * acc_size, scratch);
    }
  });
  if (parts > 1) {
    alignas(64) char scratch[kScratchBytes];
    const int64_t all = outer * inner;
    for (int64_t j = 0; j < all; j += tile) {
      const int64_t cols = std::min(tile, all - j);
      Join(f, nodes + j * acc_size, all * acc_size, 0, parts, cols, acc_size, out + j * acc_size, scratch);
    }
  }
  return absl::OkStatus();
}

absl::Status ReduceAxes(Fold fold, bool mean, const TensorRep& x, const AxisMask& reduced, TensorRep& y) {
  if (y.count == 0) return absl::OkStatus();
  // Adjacent axes of one kind are one axis; axes of size 1 are none.
  struct Segment {
    int64_t size;
    bool reduced;
  };
  absl::InlinedVector<Segment, 8> segments;
  int64_t count = 1;
  for (int i = 0; i < x.rank; ++i) {
    const int64_t size = x.dims()[i];
    if (reduced[i]) count *= size;
    if (size == 1) continue;
    if (!segments.empty() && segments.back().reduced == reduced[i]) segments.back().size *= size;
    else segments.push_back({size, reduced[i]});
  }
  const auto first = std::find_if(segments.begin(), segments.end(), [](const Segment& s) { return s.reduced; });
  if (first == segments.end()) {
    std::memcpy(y.data, x.data, y.bytes());
    return absl::OkStatus();
  }

  // One pass for each reduced segment, the last first.
  DType dtype = x.dtype;
  const void* in = x.data;
  Tensor previous;
  for (size_t s = segments.size(); s-- > 0;) {
    if (!segments[s].reduced) continue;
    const FoldKernel& f = FindFold(fold, dtype);
    int64_t outer = 1, inner = 1;
    for (size_t k = 0; k < segments.size(); ++k)
      if (k < s) outer *= segments[k].size;
      else if (k > s) inner *= segments[k].size;
    const bool last = static_cast<size_t>(first - segments.begin()) == s;
    const bool in_place = last && (f.acc == y.dtype || y.dtype == kBool);
    Tensor acc;
    if (!in_place) {
      ASSIGN_OR_RETURN(acc, Scratch(f.acc, outer * inner));
    }
    void* out = in_place ? y.data : acc.rep()->data;
    RETURN_IF_ERROR(FoldMiddle(f, dtype, in, outer, segments[s].size, inner, out));
    if (last && (mean || !in_place)) FinishFold(f.acc, out, y.dtype, y.data, y.count, mean, count);
    segments.erase(segments.begin() + s);
    in = out;
    dtype = f.acc;
    previous = std::move(acc);
    if (last) break;
  }
  return absl::OkStatus();
}

namespace {

template <Fold fold, bool mean = false>
absl::Status Reduction(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const auto axes = IntValues(call.input(1));
  ASSIGN_OR_RETURN(const AxisMask reduced, ReductionAxes(call.schema.name(), "reduction_indices", axes, x.dims_span()));
  return ReduceAxes(fold, mean, x, reduced, call.output());
}

constexpr DType kReal[] = {kFloat32, kFloat64, kFloat16, kBFloat16, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64};

void SetReal(CpuKernel& k, KernelFn fn) {
  for (DType d : kReal) k.Set(d, fn);
}
void SetNumbers(CpuKernel& k, KernelFn fn) {
  SetReal(k, fn);
  k.Set({kComplex64, kComplex128}, fn);
}

}  // namespace

void SumCpu(CpuKernel& k) { SetNumbers(k, Reduction<Fold::kSum>); }
void MeanCpu(CpuKernel& k) { SetNumbers(k, Reduction<Fold::kSum, true>); }
void ProdCpu(CpuKernel& k) { SetNumbers(k, Reduction<Fold::kProd>); }
void MaxCpu(CpuKernel& k) { SetReal(k, Reduction<Fold::kMax>); }
void MinCpu(CpuKernel& k) { SetReal(k, Reduction<Fold::kMin>); }
// Their kernel type attr is Tidx, the only one.
void AllCpu(CpuKernel& k) { k.Set({kInt32, kInt64}, Reduction<Fold::kMin>); }
void AnyCpu(CpuKernel& k) { k.Set({kInt32, kInt64}, Reduction<Fold::kMax>); }

}  // namespace tandem
