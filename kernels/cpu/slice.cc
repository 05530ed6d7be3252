#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/strided_copy.h"
#include "kernels/cpu/strided_walk.h"

namespace tandem {
namespace {

// Whether the box lies in one piece: below the outermost axis that is cut, axes are whole; above it, one element wide.
bool Contiguous(std::span<const int64_t> dims, const IntVector& size) {
  int k = static_cast<int>(dims.size()) - 1;
  while (k >= 0 && size[k] == dims[k]) --k;
  for (--k; k >= 0; --k)
    if (size[k] != 1) return false;
  return true;
}

absl::Status Slice(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const IntVector begin = IntValues(call.input(1));
  IntVector size = IntValues(call.input(2));
  const IntVector strides = DenseStrides(x.dims_span());
  int64_t offset = 0, count = 1;
  for (int k = 0; k < x.rank; ++k) {
    const int64_t dim = x.dims()[k];
    if (begin[k] < 0 || begin[k] > dim) return call.Error("begin[", k, "] is ", begin[k], ", must be in [0, ", dim, "]: input is ", x.shape().ToString());
    if (size[k] < -1) return call.Error("size[", k, "] is ", size[k], ", must be at least -1");
    if (size[k] > dim - begin[k])
      return call.Error("size[", k, "] is ", size[k], ", but ", dim - begin[k], " elements follow begin[", k, "] = ", begin[k], ": input is ", x.shape().ToString());
    if (size[k] < 0) size[k] = dim - begin[k];
    offset += begin[k] * strides[k];
    count *= size[k];
  }
  if (x.storage != Storage::kArena && count > 0 && Contiguous(x.dims_span(), size)) {
    TensorRep& base = *call.inputs[0];
    TensorRep* view = count == x.count ? (Ref(&base), &base) : NewView(base, x.dtype, size, count, ElementAt(base.data, x.dtype, offset));
    if (!view) return OutOfMemoryError("Slice", x.dtype, size);
    call.SetOutput(0, Tensor::Adopt(view));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(call.Allocate(0, Shape(std::span<const int64_t>(size)), x.dtype));
  const TensorRep& y = call.output();
  if (count > 0) CopyStrided(x.dtype, size, ElementAt(x.data, x.dtype, offset), strides, y.data, DenseStrides(size));
  return absl::OkStatus();
}

absl::StatusOr<StridedSliceSpec> Decode(const KernelCall& call, const Shape& input, int first) {
  const IntVector begin = IntValues(call.input(first)), end = IntValues(call.input(first + 1)), strides = IntValues(call.input(first + 2));
  return DecodeStridedSlice(call.schema.name(), input, static_cast<int64_t>(begin.size()), begin.data(), end.data(), strides.data(),
                            MasksOf(call));
}

absl::Status StridedSlice(KernelCall& call) {
  const TensorRep& x = call.input(0);
  ASSIGN_OR_RETURN(const StridedSliceSpec spec, Decode(call, x.shape(), 1));
  const TensorRep& y = call.output();
  if (y.count == 0) return absl::OkStatus();
  const StridedWalk walk(x.dims_span(), spec);
  CopyStrided(x.dtype, spec.size, ElementAt(x.data, x.dtype, walk.offset), walk.strides, y.data, DenseStrides(spec.size));
  return absl::OkStatus();
}

absl::Status StridedSliceGrad(KernelCall& call) {
  const TensorRep& dy = call.input(4);
  const TensorRep& dx = call.output();
  ASSIGN_OR_RETURN(const StridedSliceSpec spec, Decode(call, dx.shape(), 1));
  if (spec.output != dy.shape()) return call.Error("dy is ", dy.shape().ToString(), ", must be ", spec.output.ToString(), ", the slice of ", dx.shape().ToString());
  ZeroElements(dx.dtype, dx.data, dx.count);
  if (dy.count == 0) return absl::OkStatus();
  const StridedWalk walk(dx.dims_span(), spec);
  CopyStrided(dx.dtype, spec.size, dy.data, DenseStrides(spec.size), ElementAt(dx.data, dx.dtype, walk.offset), walk.strides);
  return absl::OkStatus();
}

}  // namespace

void SliceCpu(CpuKernel& k) { k.SetAll(Slice); }
void StridedSliceCpu(CpuKernel& k) { k.SetAll(StridedSlice); }
void StridedSliceGradCpu(CpuKernel& k) { k.SetAll(StridedSliceGrad); }

}  // namespace tandem
