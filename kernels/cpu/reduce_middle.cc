// One pass over [outer, n, inner].
#include "kernels/cpu/reduction.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/parallel.h"

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

}  // namespace

absl::Status ReserveBlock(Block& block, DType dtype, int64_t elements) {
  const auto bytes = CheckedMultiply(elements, static_cast<int64_t>(DTypeSize(dtype)));
  return block.Reserve("reduction", bytes.value_or(std::numeric_limits<int64_t>::max()));
}

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

  Block joined;
  char* nodes = out;
  if (parts > 1) {
    RETURN_IF_ERROR(ReserveBlock(joined, f.acc, parts * outer * inner));
    nodes = joined.data();
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

absl::Status ReduceMiddle(ReduceOp op, VecType type, const void* in, int64_t outer, int64_t n, int64_t inner, void* out) {
  const char* const x = static_cast<const char*>(in);
  char* const y = static_cast<char*>(out);
  const int64_t size = ByteSize(type);
  if (inner == 1) {
    const int64_t blocks = DivideUp(n, kReduceBlock);
    if (blocks < 8 || outer >= 4 * NumThreads() || NumThreads() == 1) {
      ParallelFor(outer, std::max<int64_t>(kGrain / std::max<int64_t>(n, 1), 1), [&](int64_t begin, int64_t end) {
        Reduce(op, type, x + begin * n * size, y + begin * size, end - begin, n, 1, 0, 1);
      });
      return absl::OkStatus();
    }
    Block partial;
    RETURN_IF_ERROR(partial.Reserve("reduction", outer * blocks * size));
    ParallelFor(outer * blocks, kGrain / kReduceBlock, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin / blocks; o * blocks < end; ++o)
        ReduceBlocks(op, type, x + o * n * size, n, std::max(begin - o * blocks, int64_t{0}), std::min(end - o * blocks, blocks),
                     partial.data() + o * blocks * size);
    });
    for (int64_t o = 0; o < outer; ++o) CombineBlocks(op, type, partial.data() + o * blocks * size, n, y + o * size);
    return absl::OkStatus();
  }
  constexpr int64_t kColumns = 64;
  const int64_t tiles = DivideUp(inner, kColumns);
  ParallelFor(outer * tiles, std::max<int64_t>(kGrain / std::max<int64_t>(n * kColumns, 1), 1), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin / tiles; o * tiles < end; ++o) {
      const int64_t from = std::max(begin - o * tiles, int64_t{0}) * kColumns, to = std::min(std::min(end - o * tiles, tiles) * kColumns, inner);
      Reduce(op, type, x + o * n * inner * size, y + o * inner * size, 1, n, inner, from, to);
    }
  });
  return absl::OkStatus();
}

}  // namespace tandem
