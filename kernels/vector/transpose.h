// Transposition of dense arrays of any rank.
//
//   const TransposePlan plan({2, 3, 4}, {2, 0, 1}, sizeof(float));   // y: [4, 2, 3], y[k, i, j] = x[i, j, k]
//   plan.Run(x, y, 0, plan.tiles());
//
// Dimensions of size 1 are dropped, neighbours that stay neighbours are merged, and short contiguous runs become larger
// elements. What is left is copied in tiles that are contiguous on one side in the input and on the other in the output,
// each side gathered from as many dimensions as a cache line needs: a reversal of 22 dimensions of 2 is copied in tiles
// of 16 by 16, like a matrix.
#pragma once
#include <cstdint>
#include <span>

namespace tandem {

class TransposePlan {
 public:
  // perm is a permutation of 0..rank-1; output dimension d is input dimension perm[d]. Sizes are not negative, their
  // product times element_bytes fits 63 bits. element_bytes: 1, 2, 4, 8 or 16. Allocates nothing.
  TransposePlan(std::span<const int64_t> dims, std::span<const int64_t> perm, int64_t element_bytes);

  // Tiles are independent of each other: any range on any thread.
  int64_t tiles() const { return tiles_; }
  void Run(const void* x, void* y, int64_t first, int64_t last) const;

 private:
  static constexpr int kMaxDims = 64;   // dimensions of at least 2 elements
  static constexpr int kMaxSide = 64;   // elements of a tile's side

  struct Dim {
    int64_t size, in_stride, out_stride;  // strides in elements
  };
  // One side of a tile: consecutive offsets on its own end, offset[i] on the other.
  struct Side {
    int64_t offset[kMaxSide];
    int full = 1;         // elements of a whole tile
    int split = -1;       // the outer dimension that counts tiles along this side, if the last one was cut
    int64_t unit = 1;     // elements a step of the cut dimension adds
    int64_t split_size = 0, chunk = 0;
  };

  void Coalesce(std::span<const int64_t> dims, std::span<const int64_t> perm);
  void EnlargeElements();
  void PlanRows();
  void PlanTiles();
  void RunRows(const uint8_t* x, uint8_t* y, int64_t first, int64_t last) const;
  template <typename T> void RunTiles(const T* x, T* y, int64_t first, int64_t last) const;
  static int Extent(const Side& side, const int64_t* index);

  int64_t element_bytes_;
  int rank_ = 0;
  Dim dim_[kMaxDims];          // of the output, outermost first
  int outer_rank_ = 0;
  Dim outer_[kMaxDims + 2];    // what an index of a tile runs over
  int64_t row_ = 0;            // elements of a contiguous row, or 0: tiles
  Side a_, b_;                 // a: contiguous in the input, b: in the output
  int64_t tiles_ = 0;
};

}  // namespace tandem
