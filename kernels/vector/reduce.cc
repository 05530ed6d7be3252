#include "kernels/vector/reduce.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/vector/isa_tables.h"
#include "kernels/vector/reduce_table.h"

namespace tandem {
namespace vec {

void AddReductions(ReduceTable& table);

const ReduceTable& ReductionsFor(Isa isa) {
  static IsaTables<ReduceTable> tables(AddReductions);
  return tables[isa];
}

}  // namespace vec

namespace {

int Step(ReduceOp op) { return static_cast<int>(op == ReduceOp::kMean ? ReduceOp::kSum : op); }

int64_t Blocks(int64_t n) { return (n + kReduceBlock - 1) / kReduceBlock; }

// A mean in place of the sums y.
template <typename T>
void Divide(T* y, int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      y[i] = n == 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(y[i] / static_cast<double>(n));
    } else {
      y[i] = n == 0 ? 0 : y[i] / n;
    }
  }
}

void Divide(VecType type, void* y, int64_t count, int64_t n) {
  if (type == VecType::kF32) Divide(static_cast<float*>(y), count, n);
  if (type == VecType::kF64) Divide(static_cast<double*>(y), count, n);
  if (type == VecType::kI64) Divide(static_cast<int64_t*>(y), count, n);
}

// The mean of int32 needs sums of 64 bits, in any order.
void MeanOfInts(const int32_t* x, int32_t* y, int64_t n, int64_t inner, int64_t begin, int64_t end) {
  for (int64_t c = begin; c < end; ++c) {
    int64_t sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += x[k * inner + c];
    y[c] = static_cast<int32_t>(n == 0 ? 0 : sum / n);
  }
}

void ReduceBools(ReduceOp op, const uint8_t* x, uint8_t* y, int64_t n, int64_t inner, int64_t begin, int64_t end) {
  const bool all = op == ReduceOp::kAll;
  if (inner == 1) {
    *y = all ? n == 0 || std::memchr(x, 0, static_cast<size_t>(n)) == nullptr : std::find_if(x, x + n, [](uint8_t v) { return v != 0; }) != x + n;
    return;
  }
  std::fill(y + begin, y + end, all);
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t* row = x + k * inner;
    for (int64_t c = begin; c < end; ++c) y[c] = all ? y[c] & (row[c] != 0) : y[c] | (row[c] != 0);
  }
}

}  // namespace

void Reduce(ReduceOp op, VecType type, const void* x, void* y, int64_t outer, int64_t n, int64_t inner, int64_t begin, int64_t end) {
  if (begin >= end) return;
  const int64_t bytes = ByteSize(type);
  const auto& table = vec::Reductions();
  for (int64_t o = 0; o < outer; ++o) {
    const void* from = static_cast<const uint8_t*>(x) + o * n * inner * bytes;
    void* to = static_cast<uint8_t*>(y) + o * inner * bytes;
    if (type == VecType::kBool) {
      ReduceBools(op, static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to), n, inner, begin, end);
    } else if (type == VecType::kI32 && op == ReduceOp::kMean) {
      MeanOfInts(static_cast<const int32_t*>(from), static_cast<int32_t*>(to), n, inner, begin, end);
    } else {
      if (inner == 1) table.row[Step(op)][static_cast<int>(type)](from, to, n);
      else table.columns[Step(op)][static_cast<int>(type)](from, to, n, inner, begin, end);
      if (op == ReduceOp::kMean) Divide(type, static_cast<uint8_t*>(to) + begin * bytes, end - begin, n);
    }
  }
}

void ReduceBlocks(ReduceOp op, VecType type, const void* x, int64_t n, int64_t first, int64_t last, void* partial) {
  const int64_t bytes = ByteSize(type);
  for (int64_t b = first; b < last; ++b) {
    const int64_t begin = b * kReduceBlock, count = std::min(kReduceBlock, n - begin);
    const void* from = static_cast<const uint8_t*>(x) + begin * bytes;
    void* to = static_cast<uint8_t*>(partial) + b * bytes;
    if (type == VecType::kBool) ReduceBools(op, static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to), count, 1, 0, 1);
    else vec::Reductions().row[Step(op)][static_cast<int>(type)](from, to, count);
  }
}

void CombineBlocks(ReduceOp op, VecType type, const void* partial, int64_t n, void* y) {
  if (type == VecType::kBool) {
    ReduceBools(op, static_cast<const uint8_t*>(partial), static_cast<uint8_t*>(y), Blocks(n), 1, 0, 1);
    return;
  }
  vec::Reductions().combine[Step(op)][static_cast<int>(type)](partial, y, Blocks(n));
  if (op == ReduceOp::kMean) Divide(type, y, 1, n);
}

}  // namespace tandem
