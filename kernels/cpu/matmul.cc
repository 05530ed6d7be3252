#include "core/kernel.h"
#include "kernels/cpu/gemm.h"

namespace tandem {
namespace {

using Offsets = absl::InlinedVector<int64_t, 16>;

// One call's products: out[i] = x[x_of[i]] y[y_of[i]].
struct Batches {
  GemmShape shape;
  int64_t count = 1;
  bool x_whole = true, y_whole = true;  // matrix i of the operand belongs to product i
  bool y_shared = false;                // one y for all
  Offsets x_of, y_of;                   // empty unless needed
};

// Which matrix of an operand with batch dimensions `dims` each product reads.
Offsets BroadcastOffsets(std::span<const int64_t> dims, std::span<const int64_t> out, int64_t count) {
  Offsets offsets(static_cast<size_t>(count), 0);
  int64_t stride = 1, period = 1;
  for (size_t axis = out.size(); axis-- > 0;) {
    const size_t missing = out.size() - dims.size();
    const int64_t size = axis >= missing ? dims[axis - missing] : 1;
    if (size > 1)
      for (int64_t i = 0; i < count; ++i) offsets[i] += i / period % out[axis] * stride;
    stride *= size;
    period *= out[axis];
  }
  return offsets;
}

Batches BatchesOf(const KernelCall& call) {
  const bool matmul = call.schema.inputs()[0].name == "a";
  const TensorRep &x = call.input(0), &y = call.input(1), &out = call.output();
  Batches b;
  GemmShape& s = b.shape;
  if (matmul) {
    s.transpose_a = call.attr<bool>("transpose_a");
    s.transpose_b = call.attr<bool>("transpose_b");
  } else {
    s.transpose_a = s.conj_a = call.attr<bool>("adj_x");
    s.transpose_b = s.conj_b = call.attr<bool>("adj_y");
  }
  const auto out_dims = out.dims_span();
  s.m = out_dims[out.rank - 2];
  s.n = out_dims[out.rank - 1];
  s.k = x.dims()[x.rank - (s.transpose_a ? 2 : 1)];
  if (matmul) return b;
  const auto out_batch = out_dims.first(out.rank - 2), x_batch = x.dims_span().first(x.rank - 2), y_batch = y.dims_span().first(y.rank - 2);
  const auto product = [](std::span<const int64_t> dims) { return CheckedNumElements(dims).value_or(0); };
  b.count = product(out_batch);
  b.x_whole = product(x_batch) == b.count;
  b.y_whole = product(y_batch) == b.count;
  b.y_shared = product(y_batch) == 1;
  if (!b.x_whole) b.x_of = BroadcastOffsets(x_batch, out_batch, b.count);
  if (!b.y_whole) b.y_of = BroadcastOffsets(y_batch, out_batch, b.count);
  return b;
}

// Calls product(shape, a, b, c, batch) for as few products as the operands' layout allows.
template <class T, class F>
absl::Status ForEachProduct(Batches b, const T* x, const T* y, T* out, F&& product) {
  GemmShape& s = b.shape;
  if (b.x_whole && b.y_shared && !s.transpose_a && b.count > 1) {  // one tall matrix
    s.m *= b.count;
    b.count = 1;
    b.y_whole = true;
  }
  if (b.x_whole && b.y_whole) return product(s, x, y, out, b.count);
  for (int64_t i = 0; i < b.count; ++i) {
    const int64_t xi = b.x_whole ? i : b.x_of[i], yi = b.y_whole ? i : b.y_of[i];
    RETURN_IF_ERROR(product(s, x + xi * s.m * s.k, y + yi * s.k * s.n, out + i * s.m * s.n, 1));
  }
  return absl::OkStatus();
}

bool IsTrivial(const Batches& b, TensorRep& out) {
  if (out.count && b.shape.k) return false;
  std::memset(out.data, 0, out.bytes());
  return true;
}

}  // namespace

absl::Status FloatMatMul(KernelCall& call) {
  const Batches b = BatchesOf(call);
  if (IsTrivial(b, call.output())) return absl::OkStatus();
  return ForEachProduct(b, call.input(0).as<float>(), call.input(1).as<float>(), call.output().as<float>(),
                        [&](const GemmShape& s, const float* x, const float* y, float* out, int64_t batch) {
                          return FloatGemm(call, s, x, y, out, batch);
                        });
}

namespace {

// bfloat16 and half: widened, multiplied in float32, rounded once.
template <class H>
absl::Status HalfMatMul(KernelCall& call) {
  const Batches b = BatchesOf(call);
  const TensorRep &x = call.input(0), &y = call.input(1);
  TensorRep& out = call.output();
  if (IsTrivial(b, out)) return absl::OkStatus();
  Scratch<float> wide_x, wide_y, wide_out;
  RETURN_IF_ERROR(wide_x.Reserve(call.schema.name(), x.count));
  RETURN_IF_ERROR(wide_y.Reserve(call.schema.name(), y.count));
  RETURN_IF_ERROR(wide_out.Reserve(call.schema.name(), out.count));
  for (int64_t i = 0; i < x.count; ++i) wide_x.data()[i] = static_cast<float>(x.as<H>()[i]);
  for (int64_t i = 0; i < y.count; ++i) wide_y.data()[i] = static_cast<float>(y.as<H>()[i]);
  RETURN_IF_ERROR(ForEachProduct(b, wide_x.data(), wide_y.data(), wide_out.data(),
                                 [&](const GemmShape& s, const float* x, const float* y, float* out, int64_t batch) {
                                   return FloatGemm(call, s, x, y, out, batch);
                                 }));
  for (int64_t i = 0; i < out.count; ++i) out.as<H>()[i] = H(wide_out.data()[i]);
  return absl::OkStatus();
}

template <class T>
absl::Status PlainMatMul(KernelCall& call) {
  const Batches b = BatchesOf(call);
  if (IsTrivial(b, call.output())) return absl::OkStatus();
  return ForEachProduct(b, call.input(0).as<T>(), call.input(1).as<T>(), call.output().as<T>(),
                        [&](const GemmShape& s, const T* x, const T* y, T* out, int64_t batch) {
                          for (int64_t i = 0; i < batch; ++i)
                            RETURN_IF_ERROR(PlainGemm(call.schema.name(), s, x + i * s.m * s.k, y + i * s.k * s.n, out + i * s.m * s.n));
                          return absl::OkStatus();
                        });
}

void Fill(CpuKernel& k) {
  k.Set(kFloat32, FloatMatMul);
  k.Set(kBFloat16, HalfMatMul<BFloat16>);
  k.Set(kFloat16, HalfMatMul<Half>);
  k.Set(kFloat64, PlainMatMul<double>);
  k.Set({kInt32, kUint32}, PlainMatMul<uint32_t>);  // wrapping products have the same bits signed or not
  k.Set({kInt64, kUint64}, PlainMatMul<uint64_t>);
  k.Set({kInt16, kUint16}, PlainMatMul<uint16_t>);
  k.Set(kUint8, PlainMatMul<uint8_t>);
  k.Set(kComplex64, PlainMatMul<std::complex<float>>);
  k.Set(kComplex128, PlainMatMul<std::complex<double>>);
}

}  // namespace

void MatMulCpu(CpuKernel& k) { Fill(k); }
void BatchMatMulV2Cpu(CpuKernel& k) { Fill(k); }

}  // namespace tandem
