#include "kernels/cpu/gemm.h"

#include "kernels/cpu/onednn_cache.h"

namespace tandem {
namespace {

using Dims = dnnl::memory::dims;

dnnl::memory::desc MatrixDesc(int64_t batch, int64_t rows, int64_t columns, bool transposed) {
  const Dims strides = transposed ? Dims{1, rows} : Dims{columns, 1};
  if (batch == 1) return {Dims{rows, columns}, dnnl::memory::data_type::f32, strides};
  return {Dims{batch, rows, columns}, dnnl::memory::data_type::f32, Dims{rows * columns, strides[0], strides[1]}};
}

std::unique_ptr<OnednnPrimitive> MakeMatMul(const GemmShape& s, int64_t batch) {
  const dnnl::memory::desc a = MatrixDesc(batch, s.m, s.k, s.transpose_a), b = MatrixDesc(batch, s.k, s.n, s.transpose_b),
                           c = MatrixDesc(batch, s.m, s.n, false);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::matmul::primitive_desc desc({a, b, c}, attr, OnednnEngine());
  return std::make_unique<OnednnPrimitive>(
      desc, dnnl::matmul(desc),
      std::vector<OnednnArgument>{{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c, true}});
}

// Below AVX-512 the sum over k may be shared by threads.
SumSplit MatMulSumSplit() {
  static const bool whole = dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core;
  return whole ? SumSplit::kNever : SumSplit::kByThreads;
}

}  // namespace

absl::Status FloatGemm(KernelCall& call, const GemmShape& s, const float* a, const float* b, float* c, int64_t batch) {
  if (IsSmallGemm(s)) {
    ParallelFor(batch, 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) plain_gemm::Small(s, a + i * s.m * s.k, b + i * s.k * s.n, c + i * s.m * s.n);
    });
    return absl::OkStatus();
  }
  PrimitiveKey key(PrimitiveKind::kMatMul, OnednnThreads(MatMulSumSplit()));
  key.Add(batch, s.m, s.k, s.n, s.transpose_a, s.transpose_b);
  ASSIGN_OR_RETURN(OnednnPrimitive * primitive, CachedPrimitive(call, key, [&] { return MakeMatMul(s, batch); }));
  return primitive->Execute(call.schema.name(), {a, b, c});
}

}  // namespace tandem
