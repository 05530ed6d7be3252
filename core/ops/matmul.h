// Products of matrices.
//
//   Tensor y = MatMul(x, w);                             // x: [M,K], w: [K,N] -> [M,N]
//   Tensor g = MatMul(x, dy, {.transpose_a = true});     // x: [K,M]
//   Tensor z = BatchMatMul(q, k, {.adj_y = true});       // q: [..., M,K], k: [..., N,K] -> [..., M,N]
//
// Both operands have one dtype. bfloat16 and half accumulate in float32, integers wrap. An empty inner dimension gives
// zeros. INVALID_ARGUMENT: wrong rank, inner dimensions that differ, batch dimensions that do not broadcast.
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct MatMulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
};
Tensor MatMul(Operand a, Operand b, MatMulOptions options = {});

struct BatchMatMulOptions {
  bool adj_x = false;  // conjugated and transposed
  bool adj_y = false;
};
// Batch dimensions broadcast as NumPy's do.
Tensor BatchMatMul(Operand x, Operand y, BatchMatMulOptions options = {});

}  // namespace tandem
TANDEM_EXPORT_END
