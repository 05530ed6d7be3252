#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/strided_copy.h"

namespace tandem {
namespace {

// A dense array around one axis: [outer, whole], whole being the elements of the axis and all below it.
struct Rows {
  int64_t outer = 1, whole = 1;
  Rows(std::span<const int64_t> dims, int64_t axis) {
    for (int64_t k = 0; k < static_cast<int64_t>(dims.size()); ++k) (k < axis ? outer : whole) *= dims[k];
  }
};

// Columns [at, at + part) of the rows of `whole`, to or from a dense [outer, part].
void CopyPart(DType dtype, int64_t outer, int64_t part, const void* from, int64_t from_width, void* to, int64_t to_width) {
  const int64_t dims[] = {outer, part}, from_strides[] = {from_width, 1}, to_strides[] = {to_width, 1};
  CopyStrided(dtype, dims, from, from_strides, to, to_strides);
}

// Parts one after another into the output, whose axis is made of theirs.
void Join(KernelCall& call, size_t n, int64_t axis) {
  const TensorRep& y = call.output();
  if (y.count == 0) return;
  const Rows rows(y.dims_span(), axis);
  int64_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    const TensorRep& x = call.input(static_cast<int>(i));
    const int64_t part = x.count / rows.outer;
    CopyPart(y.dtype, rows.outer, part, x.data, part, ElementAt(y.data, y.dtype, at), rows.whole);
    at += part;
  }
}

void TakeApart(KernelCall& call, const TensorRep& x, int64_t axis) {
  if (x.count == 0) return;
  const Rows rows(x.dims_span(), axis);
  int64_t at = 0;
  for (TensorRep* y : call.outputs) {
    const int64_t part = y->count / rows.outer;
    CopyPart(x.dtype, rows.outer, part, ElementAt(static_cast<const void*>(x.data), x.dtype, at), rows.whole, y->data, part);
    at += part;
  }
}

absl::Status Concat(KernelCall& call) {
  const int n = static_cast<int>(call.inputs.size()) - 1;
  const int64_t axis = IntValue(call.input(n), 0);
  Join(call, n, axis < 0 ? axis + call.output().rank : axis);
  return absl::OkStatus();
}

absl::Status Pack(KernelCall& call) {
  const int64_t axis = call.attr<int64_t>("axis");
  Join(call, call.inputs.size(), axis < 0 ? axis + call.output().rank : axis);
  return absl::OkStatus();
}

absl::Status Unpack(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const int64_t axis = call.attr<int64_t>("axis");
  TakeApart(call, x, axis < 0 ? axis + x.rank : axis);
  return absl::OkStatus();
}

absl::Status SplitAlong(KernelCall& call, int value, int axis_input) {
  const TensorRep& x = call.input(value);
  const int64_t axis = IntValue(call.input(axis_input), 0);
  TakeApart(call, x, axis < 0 ? axis + x.rank : axis);
  return absl::OkStatus();
}
absl::Status Split(KernelCall& call) { return SplitAlong(call, 1, 0); }
absl::Status SplitV(KernelCall& call) { return SplitAlong(call, 0, 2); }

// The running sum of the shapes' entries at concat_dim; the other entries must agree, and their offset is 0.
template <class T>
absl::Status ConcatOffset(KernelCall& call) {
  const int64_t rank = call.input(1).count;
  int64_t dim = IntValue(call.input(0), 0);
  if (dim < -rank || dim >= rank) return call.Error("concat_dim is ", dim, ", must be in [", -rank, ", ", rank, ")");
  if (dim < 0) dim += rank;
  T offset = 0;
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    const T* first = call.input(1).as<T>();
    const T* shape = call.input(static_cast<int>(i)).as<T>();
    T* out = call.output(static_cast<int>(i) - 1).as<T>();
    for (int64_t k = 0; k < rank; ++k) {
      if (k != dim && shape[k] != first[k])
        return call.Error("shapes differ beside concat_dim ", dim, ": shape[0][", k, "] = ", first[k], ", shape[", i - 1, "][", k, "] = ", shape[k]);
      out[k] = k == dim ? offset : 0;
    }
    if (__builtin_add_overflow(offset, shape[dim], &offset)) return call.Error("the sum of dimensions ", dim, " does not fit ", std::string(DTypeName(call.input(1).dtype)));
  }
  return absl::OkStatus();
}

}  // namespace

void ConcatV2Cpu(CpuKernel& k) { k.SetAll(Concat); }
void PackCpu(CpuKernel& k) { k.SetAll(Pack); }
void UnpackCpu(CpuKernel& k) { k.SetAll(Unpack); }
void SplitCpu(CpuKernel& k) { k.SetAll(Split); }
void SplitVCpu(CpuKernel& k) { k.SetAll(SplitV); }
void ConcatOffsetCpu(CpuKernel& k) {
  k.Set(kInt32, ConcatOffset<int32_t>);
  k.Set(kInt64, ConcatOffset<int64_t>);
}

}  // namespace tandem
