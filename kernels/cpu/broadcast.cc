#include "kernels/cpu/broadcast.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/parallel.h"

namespace tandem {
namespace {

// Rows shorter than this cost more to enter than to compute: several are gathered into one.
constexpr int64_t kNarrow = 16;
constexpr int64_t kTile = 512;  // elements gathered at a time
constexpr int64_t kMaxElementBytes = 16;

// A dense [rows, cols] copy of an operand.
template <class T>
void Expand(const char* data, int64_t row_stride, int64_t col_stride, int64_t rows, int64_t cols, void* out) {
  T* to = static_cast<T*>(out);
  const T* from = reinterpret_cast<const T*>(data);
  for (int64_t r = 0; r < rows; ++r, from += row_stride)
    for (int64_t c = 0; c < cols; ++c) *to++ = from[c * col_stride];
}
struct Bytes16 {
  uint64_t low, high;
};
void Expand(int64_t bytes, const char* data, int64_t row_stride, int64_t col_stride, int64_t rows, int64_t cols, void* out) {
  switch (bytes) {
    case 1: return Expand<uint8_t>(data, row_stride, col_stride, rows, cols, out);
    case 2: return Expand<uint16_t>(data, row_stride, col_stride, rows, cols, out);
    case 4: return Expand<uint32_t>(data, row_stride, col_stride, rows, cols, out);
    case 8: return Expand<uint64_t>(data, row_stride, col_stride, rows, cols, out);
    default: return Expand<Bytes16>(data, row_stride, col_stride, rows, cols, out);
  }
}

}  // namespace

int64_t ElementBytes(DType dtype) {
  return dtype == kString ? static_cast<int64_t>(sizeof(std::string)) : static_cast<int64_t>(DTypeSize(dtype));
}

BroadcastLoop::BroadcastLoop(std::span<TensorRep* const> inputs, const TensorRep& out)
    : operands_(static_cast<int>(inputs.size())), count_(out.count), trivial_(true) {
  int64_t next[kMaxOperands];  // each operand's stride at the axis in hand, walking outwards
  for (int k = 0; k < operands_; ++k) {
    next[k] = 1;
    data_[k] = static_cast<const char*>(inputs[k]->data);
    bytes_[k] = ElementBytes(inputs[k]->dtype);
    trivial_ = trivial_ && inputs[k]->dtype != kString;
  }
  for (int axis = 0; axis < out.rank; ++axis) {
    const int from_end = axis + 1;
    const int64_t size = out.dims()[out.rank - from_end];
    if (size == 1) continue;
    Dim dim{size, {}};
    for (int k = 0; k < operands_; ++k) {
      const TensorRep& in = *inputs[k];
      const bool moves = in.rank >= from_end && in.dims()[in.rank - from_end] != 1;
      dim.stride[k] = moves ? next[k] : 0;
      if (moves) next[k] *= size;
    }
    bool merges = !dims_.empty();
    for (int k = 0; merges && k < operands_; ++k) merges = dim.stride[k] == dims_.back().stride[k] * dims_.back().size;
    if (merges) dims_.back().size *= size;
    else dims_.push_back(dim);
  }
  while (dims_.size() < 2) {
    Dim dim{1, {}};
    if (dims_.empty())  // scalars: the one element is a dense row
      for (int k = 0; k < operands_; ++k) dim.stride[k] = 1;
    dims_.push_back(dim);
  }
  std::reverse(dims_.begin(), dims_.end());
  rows_ = count_ == 0 ? 0 : count_ / dims_.back().size;
}

bool BroadcastLoop::gathers() const { return dims_.back().size < kNarrow && trivial_; }

void BroadcastLoop::Run(Body body, int64_t grain) const {
  if (count_ == 0) return;
  const int64_t cols = dims_.back().size;
  if (rows_ > 1 && (cols <= grain || rows_ >= 4 * NumThreads())) {
    ParallelFor(rows_, std::max<int64_t>(1, grain / cols), [&](int64_t begin, int64_t end) { RunRows(begin, end, body); });
    return;
  }
  // Few long rows: each is cut. The caller's pointers differ from a whole row's by the first column.
  for (int64_t r = 0; r < rows_; ++r) {
    int64_t rest = r;
    const char* row[kMaxOperands];
    for (int k = 0; k < operands_; ++k) row[k] = data_[k];
    for (size_t d = dims_.size() - 1; d-- > 0; rest /= dims_[d].size)
      for (int k = 0; k < operands_; ++k) row[k] += rest % dims_[d].size * dims_[d].stride[k] * bytes_[k];
    ParallelFor(cols, grain, [&](int64_t begin, int64_t end) {
      Operand2D in[kMaxOperands];
      for (int k = 0; k < operands_; ++k) {
        const auto step = static_cast<int>(dims_.back().stride[k]);
        in[k] = {row[k] + begin * step * bytes_[k], 0, step};
      }
      body(in, r * cols + begin, 1, end - begin);
    });
  }
}

// Rows [begin, end) in the order of the output: blocks end where the second to last dimension does.
void BroadcastLoop::RunRows(int64_t begin, int64_t end, Body body) const {
  const int64_t inner = dims_[dims_.size() - 2].size, cols = dims_.back().size;
  while (begin < end) {
    const int64_t row = begin % inner, rows = std::min(inner - row, end - begin);
    const char* data[kMaxOperands];
    for (int k = 0; k < operands_; ++k) data[k] = data_[k] + row * dims_[dims_.size() - 2].stride[k] * bytes_[k];
    int64_t outer = begin / inner;
    for (size_t d = dims_.size() - 2; d-- > 0; outer /= dims_[d].size)
      for (int k = 0; k < operands_; ++k) data[k] += outer % dims_[d].size * dims_[d].stride[k] * bytes_[k];
    if (gathers() && rows > 1) RunNarrowBlock(data, begin * cols, rows, body);
    else RunBlock(data, begin * cols, rows, body);
    begin += rows;
  }
}

void BroadcastLoop::RunBlock(const char* const* data, int64_t first, int64_t rows, Body body) const {
  const Dim &outer = dims_[dims_.size() - 2], &inner = dims_.back();
  Operand2D in[kMaxOperands];
  for (int k = 0; k < operands_; ++k) in[k] = {data[k], outer.stride[k], static_cast<int>(inner.stride[k])};
  body(in, first, rows, inner.size);
}

void BroadcastLoop::RunNarrowBlock(const char* const* data, int64_t first, int64_t rows, Body body) const {
  const Dim &outer = dims_[dims_.size() - 2], &inner = dims_.back();
  const int64_t cols = inner.size, step = std::min(rows, kTile / cols);
  alignas(64) char tile[kMaxOperands][kTile * kMaxElementBytes];
  for (int64_t r = 0; r < rows; r += step) {
    const int64_t n = std::min(step, rows - r);
    Operand2D in[kMaxOperands];
    for (int k = 0; k < operands_; ++k) {
      const char* at = data[k] + r * outer.stride[k] * bytes_[k];
      const bool dense = inner.stride[k] == 1 && outer.stride[k] == cols;
      // What stands still from row to row is the same in every tile.
      if (!dense && (r == 0 || outer.stride[k] != 0)) Expand(bytes_[k], at, outer.stride[k], inner.stride[k], n, cols, tile[k]);
      in[k] = {dense ? at : tile[k], 0, 1};
    }
    body(in, first + r * cols, 1, n * cols);
  }
}

}  // namespace tandem
