#include "core/visit.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/strided_copy.h"

namespace tandem {
namespace {

int64_t Before(const TensorRep& paddings, int64_t axis) { return IntValue(paddings, 2 * axis); }

absl::Status Pad(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const TensorRep& y = call.output();
  if (call.inputs.size() == 3) FillElements(y.dtype, call.input(2).data, y.data, y.count);
  else ZeroElements(y.dtype, y.data, y.count);
  if (x.count == 0) return absl::OkStatus();
  const IntVector to = DenseStrides(y.dims_span());
  int64_t offset = 0;
  for (int k = 0; k < x.rank; ++k) offset += Before(call.input(1), k) * to[k];
  CopyStrided(x.dtype, x.dims_span(), x.data, DenseStrides(x.dims_span()), ElementAt(y.data, y.dtype, offset), to);
  return absl::OkStatus();
}

// Calls row(padded, inner) for every row along the last axis of the padded box: `padded` is where the row begins in it,
// `inner` where its mirror image begins in the unpadded one. source[k][i] is the offset in the unpadded box of
// position i along axis k.
class Mirror {
 public:
  Mirror(const KernelCall& call, const TensorRep& inner, const TensorRep& padded) : dims_(padded.dims(), padded.dims() + padded.rank) {
    const bool symmetric = call.attr<std::string_view>("mode") == "SYMMETRIC";
    const IntVector strides = DenseStrides(inner.dims_span());
    for (int k = 0; k < padded.rank; ++k) {
      const int64_t n = inner.dims()[k], before = Before(call.input(1), k);
      auto& table = source_.emplace_back(dims_[k]);
      for (int64_t i = 0; i < dims_[k]; ++i) {
        int64_t at = i - before;
        if (at < 0) at = -at - symmetric;
        if (at >= n) at = 2 * (n - 1) - at + symmetric;
        table[i] = at * strides[k];
      }
    }
  }

  template <class Row>
  void ForEachRow(Row&& row) const {
    const int last = static_cast<int>(dims_.size()) - 1;
    if (last < 0) return row(0, 0, std::span<const int64_t>(&kScalar, 1));
    IntVector index(last, 0);
    for (int64_t padded = 0;; padded += dims_[last]) {
      int64_t inner = 0;
      for (int k = 0; k < last; ++k) inner += source_[k][index[k]];
      row(padded, inner, std::span<const int64_t>(source_[last]));
      int k = last - 1;
      while (k >= 0 && ++index[k] == dims_[k]) index[k--] = 0;
      if (k < 0) return;
    }
  }

 private:
  static constexpr int64_t kScalar = 0;
  IntVector dims_;
  std::vector<std::vector<int64_t>> source_;
};

absl::Status MirrorPad(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const TensorRep& y = call.output();
  if (y.count == 0) return absl::OkStatus();
  const Mirror mirror(call, x, y);
  VisitStorage(x.dtype, [&]<class T>(std::type_identity<T>) {
    mirror.ForEachRow([&](int64_t padded, int64_t inner, std::span<const int64_t> source) {
      T* out = static_cast<T*>(y.data) + padded;
      const T* in = static_cast<const T*>(x.data) + inner;
      for (size_t i = 0; i < source.size(); ++i) out[i] = in[source[i]];
    });
  });
  return absl::OkStatus();
}

// Sums in A, which is float for the half types.
template <class T, class A>
absl::Status MirrorPadGrad(KernelCall& call) {
  const TensorRep& dy = call.input(0);
  const TensorRep& dx = call.output();
  Scratch<A> wide;
  A* sum = static_cast<A*>(dx.data);
  if constexpr (!std::same_as<T, A>) {
    RETURN_IF_ERROR(wide.Reserve("MirrorPadGrad", dx.count));
    sum = wide.data();
  }
  std::fill_n(sum, dx.count, A(0));
  if (dy.count == 0) return absl::OkStatus();
  Mirror(call, dx, dy).ForEachRow([&](int64_t padded, int64_t inner, std::span<const int64_t> source) {
    const T* in = dy.as<T>() + padded;
    for (size_t i = 0; i < source.size(); ++i) sum[inner + source[i]] += static_cast<A>(in[i]);
  });
  if constexpr (!std::same_as<T, A>)
    for (int64_t i = 0; i < dx.count; ++i) static_cast<T*>(dx.data)[i] = T(sum[i]);
  return absl::OkStatus();
}

}  // namespace

void PadCpu(CpuKernel& k) { k.SetAll(Pad); }
void PadV2Cpu(CpuKernel& k) { k.SetAll(Pad); }
void MirrorPadCpu(CpuKernel& k) { k.SetAll(MirrorPad); }
void MirrorPadGradCpu(CpuKernel& k) {
  const auto set = [&]<class T>(T) {
    using A = std::conditional_t<std::same_as<T, Half> || std::same_as<T, BFloat16>, float, T>;
    if constexpr (!std::same_as<T, bool>) k.Set(DTypeOf<T>(), MirrorPadGrad<T, A>);
  };
  for (int d = 1; d < kNumDTypes; ++d) VisitNumeric(static_cast<DType>(d), set);
}

}  // namespace tandem
