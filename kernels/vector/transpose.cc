#include "kernels/vector/transpose.h"

#include <algorithm>
#include <cstring>

#include "kernels/vector/transpose_tiles.h"

namespace tandem {

TransposePlan::TransposePlan(std::span<const int64_t> dims, std::span<const int64_t> perm, int64_t element_bytes)
    : element_bytes_(element_bytes) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;  // no elements, no tiles
  Coalesce(dims, perm);
  EnlargeElements();
  if (rank_ == 0 || dim_[rank_ - 1].in_stride == 1) PlanRows();
  else PlanTiles();
  tiles_ = 1;
  for (int d = 0; d < outer_rank_; ++d) tiles_ *= outer_[d].size;
}

void TransposePlan::Coalesce(std::span<const int64_t> dims, std::span<const int64_t> perm) {
  const auto in_stride = [&](int64_t dim) {
    int64_t stride = 1;
    for (size_t d = dim + 1; d < dims.size(); ++d) stride *= dims[d];
    return stride;
  };
  for (const int64_t p : perm) {
    if (dims[p] == 1) continue;
    const int64_t stride = in_stride(p);
    if (rank_ > 0 && dim_[rank_ - 1].in_stride == dims[p] * stride) {
      dim_[rank_ - 1].size *= dims[p];
      dim_[rank_ - 1].in_stride = stride;
    } else {
      dim_[rank_++] = {dims[p], stride, 0};
    }
  }
  int64_t stride = 1;
  for (int d = rank_ - 1; d >= 0; --d) {
    dim_[d].out_stride = stride;
    stride *= dim_[d].size;
  }
}

// A contiguous run of up to 16 bytes that is itself the size of an element becomes one.
void TransposePlan::EnlargeElements() {
  while (rank_ > 1 && dim_[rank_ - 1].in_stride == 1) {
    const int64_t run = dim_[rank_ - 1].size, bytes = run * element_bytes_;
    if (bytes > 16 || (bytes & (bytes - 1)) != 0) return;
    element_bytes_ = bytes;
    --rank_;
    for (int d = 0; d < rank_; ++d) {
      dim_[d].in_stride /= run;
      dim_[d].out_stride /= run;
    }
  }
}

void TransposePlan::PlanRows() {
  constexpr int64_t kLongRow = 1 << 16;  // bytes of a copy worth a thread of its own
  if (rank_ == 0) dim_[rank_++] = {1, 1, 1};
  const Dim& row = dim_[rank_ - 1];
  row_ = row.size;
  for (int d = 0; d + 1 < rank_; ++d) outer_[outer_rank_++] = dim_[d];
  if (row_ * element_bytes_ > kLongRow) {
    const int64_t piece = kLongRow / element_bytes_;
    outer_[outer_rank_++] = {(row_ + piece - 1) / piece, piece, piece};
    b_.split = outer_rank_ - 1;
    b_.split_size = row_;
    b_.chunk = piece;
    row_ = piece;
  }
}

void TransposePlan::PlanTiles() {
  // Elements of a side: a cache line, or two where that keeps offsets few.
  const int64_t wanted = std::clamp<int64_t>(64 / element_bytes_, 8, 32);
  int by_input[kMaxDims];
  for (int d = 0; d < rank_; ++d) by_input[d] = d;
  std::sort(by_input, by_input + rank_, [&](int p, int q) { return dim_[p].in_stride < dim_[q].in_stride; });

  bool used[kMaxDims] = {};
  int64_t cut[kMaxDims] = {};  // the chunk of a dimension that is cut
  int cut_dim[2] = {-1, -1};
  a_.offset[0] = b_.offset[0] = 0;
  const auto extend = [&](Side& side, int side_index, int d, int64_t Dim::*other_stride) {
    const int64_t room = (wanted + side.full - 1) / side.full, take = std::min(dim_[d].size, room);
    used[d] = true;
    if (take < dim_[d].size) {
      cut[d] = take;
      cut_dim[side_index] = d;
      side.unit = side.full;
      side.split_size = dim_[d].size;
      side.chunk = take;
    }
    for (int64_t k = 1; k < take; ++k) {
      for (int i = 0; i < side.full; ++i) side.offset[k * side.full + i] = side.offset[i] + k * dim_[d].*other_stride;
    }
    side.full *= static_cast<int>(take);
  };
  extend(b_, 1, rank_ - 1, &Dim::in_stride);
  for (int k = 0; k < rank_ && !used[by_input[k]] && a_.full < wanted; ++k) extend(a_, 0, by_input[k], &Dim::out_stride);
  for (int d = rank_ - 2; d >= 0 && !used[d] && b_.full < wanted; --d) extend(b_, 1, d, &Dim::in_stride);

  for (int d = 0; d < rank_; ++d) {
    if (!used[d]) outer_[outer_rank_++] = dim_[d];
  }
  // Tiles along b last: consecutive tiles continue the same output rows.
  for (int s = 0; s < 2; ++s) {
    Side& side = s == 0 ? a_ : b_;
    const int d = cut_dim[s];
    if (d < 0) continue;
    side.split = outer_rank_;
    outer_[outer_rank_++] = {(dim_[d].size + cut[d] - 1) / cut[d], cut[d] * dim_[d].in_stride, cut[d] * dim_[d].out_stride};
  }
}

// Elements along a side of the tile at `index`: fewer in the last tile of a dimension that was cut.
int TransposePlan::Extent(const Side& side, const int64_t* index) {
  if (side.split < 0) return side.full;
  return static_cast<int>(std::min(side.chunk, side.split_size - index[side.split] * side.chunk) * side.unit);
}

namespace {

// Walks the tiles [first, last), calling f(index, in_offset, out_offset).
template <typename Dims, typename F>
void ForTiles(const Dims& dims, int rank, int64_t first, int64_t last, F f) {
  int64_t index[66] = {}, in = 0, out = 0, rest = first;
  for (int d = rank - 1; d >= 0; --d) {
    index[d] = rest % dims[d].size;
    rest /= dims[d].size;
    in += index[d] * dims[d].in_stride;
    out += index[d] * dims[d].out_stride;
  }
  for (int64_t t = first; t < last; ++t) {
    f(index, in, out);
    for (int d = rank - 1; d >= 0; --d) {
      in += dims[d].in_stride;
      out += dims[d].out_stride;
      if (++index[d] < dims[d].size) break;
      in -= index[d] * dims[d].in_stride;
      out -= index[d] * dims[d].out_stride;
      index[d] = 0;
    }
  }
}

}  // namespace

void TransposePlan::RunRows(const uint8_t* x, uint8_t* y, int64_t first, int64_t last) const {
  ForTiles(outer_, outer_rank_, first, last, [&](const int64_t* index, int64_t in, int64_t out) {
    const int64_t count = b_.split < 0 ? row_ : std::min(row_, b_.split_size - index[b_.split] * row_);
    std::memcpy(y + out * element_bytes_, x + in * element_bytes_, static_cast<size_t>(count * element_bytes_));
  });
}

template <typename T>
void TransposePlan::RunTiles(const T* x, T* y, int64_t first, int64_t last) const {
  ForTiles(outer_, outer_rank_, first, last, [&](const int64_t* index, int64_t in, int64_t out) {
    vec::TransposeTile(x + in, y + out, b_.offset, a_.offset, Extent(a_, index), Extent(b_, index));
  });
}

void TransposePlan::Run(const void* x, void* y, int64_t first, int64_t last) const {
  if (first >= last) return;
  if (row_ > 0) return RunRows(static_cast<const uint8_t*>(x), static_cast<uint8_t*>(y), first, last);
  const auto run = [&](auto element) {
    using T = decltype(element);
    RunTiles(static_cast<const T*>(x), static_cast<T*>(y), first, last);
  };
  switch (element_bytes_) {
    case 1: return run(uint8_t{});
    case 2: return run(uint16_t{});
    case 4: return run(uint32_t{});
    case 8: return run(uint64_t{});
    default: return run(vec::Element16{});
  }
}

}  // namespace tandem
