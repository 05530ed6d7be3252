// Broadcasting loops of any rank: adjacent dimensions that all operands cross in one stride become one, the last two of
// what remains are one call of a two-dimensional kernel, and the rows are divided among threads.
//
//   BroadcastLoop loop(call.inputs, call.output());
//   loop.Run([&](const Operand2D* in, int64_t first, int64_t rows, int64_t cols) {
//     add(in, out + first, rows, cols, nullptr);      // out[first ...]: dense [rows, cols]
//   });
#pragma once
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "core/tensor_rep.h"
#include "kernels/vector/elementwise.h"

namespace tandem {

// Bytes from one element to the next; strings are std::string.
int64_t ElementBytes(DType dtype);

class BroadcastLoop {
 public:
  static constexpr int kMaxOperands = 12;  // fused loops read many
  using Body = absl::FunctionRef<void(const Operand2D* in, int64_t first, int64_t rows, int64_t cols)>;

  // inputs: at most kMaxOperands, whose shapes broadcast to out's. Borrows their data.
  BroadcastLoop(std::span<TensorRep* const> inputs, const TensorRep& out);

  // Calls body on blocks that cover the output once, perhaps from several threads at a time; not at all when it is empty.
  // `grain` elements at least go to a thread.
  void Run(Body body, int64_t grain = 32 << 10) const;

  // How operand k crosses a row: 1, or 0 where one element serves all of it.
  int col_stride(int k) const { return static_cast<int>(dims_.back().stride[k]); }
  // Whether Run may hand over short rows gathered into one: then every operand is dense there.
  bool gathers() const;

 private:
  struct Dim {
    int64_t size;
    int64_t stride[kMaxOperands];  // in elements; 0 where the operand stands still
  };
  void RunRows(int64_t begin, int64_t end, Body body) const;
  void RunBlock(const char* const* data, int64_t first, int64_t rows, Body body) const;
  void RunNarrowBlock(const char* const* data, int64_t first, int64_t rows, Body body) const;

  int operands_;
  int64_t count_, rows_;   // elements and rows of the output, rows over all outer dimensions
  absl::InlinedVector<Dim, 8> dims_;  // at least two
  const char* data_[kMaxOperands];
  int64_t bytes_[kMaxOperands];       // of an element
  bool trivial_;                      // copies of elements are copies of bytes
};

}  // namespace tandem
