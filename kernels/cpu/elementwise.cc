#include "kernels/cpu/elementwise.h"

#include <algorithm>

#include "core/status.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/scalar_functions.h"

namespace tandem {
namespace {

constexpr int64_t kTile = 256;  // elements widened at a time: the tiles stay in the first-level cache

// Operands of a narrow dtype: each row in tiles of the wide one.
void RunWidened(const Lanes& lanes, DType dtype, ElementwiseFn fn, int inputs, bool returns_bool, const Operand2D* in, void* out,
                int64_t rows, int64_t cols, const float* params) {
  const auto bytes = static_cast<int64_t>(DTypeSize(dtype));
  alignas(64) char tile[BroadcastLoop::kMaxOperands][kTile * 8];
  alignas(64) char result[kTile * 8];
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; c += kTile) {
      const int64_t n = std::min(kTile, cols - c);
      Operand2D wide[BroadcastLoop::kMaxOperands];
      for (int k = 0; k < inputs; ++k) {
        const char* from = static_cast<const char*>(in[k].data) + (r * in[k].row_stride + c * in[k].col_stride) * bytes;
        lanes.widen(from, tile[k], in[k].col_stride ? n : 1);
        wide[k] = {tile[k], 0, in[k].col_stride};
      }
      char* to = static_cast<char*>(out) + (r * cols + c) * (returns_bool ? 1 : bytes);
      fn(wide, returns_bool ? to : result, 1, n, params);
      if (!returns_bool) lanes.narrow(result, to, n);
    }
  }
}

}  // namespace

bool RunElementwiseBlock(VecOp op, DType dtype, const Operand2D* in, void* out, int64_t rows, int64_t cols, const float* params) {
  const Lanes& lanes = LanesOf(dtype);
  const ElementwiseFn fn = lanes.known ? FindElementwise(op, lanes.type) : FindScalarKernel(op, dtype);
  if (!fn) return false;
  if (lanes.widen) RunWidened(lanes, dtype, fn, NumInputs(op), ReturnsBool(op), in, out, rows, cols, params);
  else fn(in, out, rows, cols, params);
  return true;
}

absl::Status RunElementwise(VecOp op, KernelCall& call, const float* params) {
  const DType dtype = call.inputs.back()->dtype;
  const Lanes& lanes = LanesOf(dtype);
  if (!(lanes.known ? FindElementwise(op, lanes.type) : FindScalarKernel(op, dtype))) return NoKernelError(call.schema, dtype);
  char* out = static_cast<char*>(call.output().data);
  const auto bytes = static_cast<int64_t>(DTypeSize(call.output().dtype));
  BroadcastLoop(call.inputs, call.output()).Run([&](const Operand2D* in, int64_t first, int64_t rows, int64_t cols) {
    RunElementwiseBlock(op, dtype, in, out + first * bytes, rows, cols, params);
  });
  return absl::OkStatus();
}

bool HasVectorFunction(VecOp op, DType dtype) {
  const Lanes& lanes = LanesOf(dtype);
  return lanes.known && !lanes.widen && FindElementwise(op, lanes.type);
}

DenseFn FindDenseFor(VecOp op, DType dtype) {
  const Lanes& lanes = LanesOf(dtype);
  return lanes.known && !lanes.widen ? FindDense(op, lanes.type) : nullptr;
}

}  // namespace tandem
