#include "core/kernel.h"
#include "kernels/cpu/strided_copy.h"

namespace tandem {
namespace {

absl::Status BroadcastTo(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const TensorRep& y = call.output();
  const IntVector strides = DenseStrides(x.dims_span());
  const int shift = y.rank - x.rank;
  IntVector from(y.rank, 0);
  for (int k = 0; k < x.rank; ++k)
    if (x.dims()[k] != 1) from[shift + k] = strides[k];
  CopyStrided(x.dtype, y.dims_span(), x.data, from, y.data, DenseStrides(y.dims_span()));
  return absl::OkStatus();
}

// Each axis is two loops: over the copies, which stand still in the input, and over the input's own elements.
absl::Status Tile(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const TensorRep& y = call.output();
  const IntVector x_strides = DenseStrides(x.dims_span()), y_strides = DenseStrides(y.dims_span());
  IntVector dims, from, to;
  for (int k = 0; k < x.rank; ++k) {
    const int64_t n = x.dims()[k];
    dims.insert(dims.end(), {n == 0 ? 0 : y.dims()[k] / n, n});
    from.insert(from.end(), {0, x_strides[k]});
    to.insert(to.end(), {n * y_strides[k], y_strides[k]});
  }
  CopyStrided(x.dtype, dims, x.data, from, y.data, to);
  return absl::OkStatus();
}

}  // namespace

void BroadcastToCpu(CpuKernel& k) { k.SetAll(BroadcastTo); }
void TileCpu(CpuKernel& k) { k.SetAll(Tile); }

}  // namespace tandem
