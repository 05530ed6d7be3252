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

std::unique_ptr<OnednnPrimitive> MakeMatMul(const GemmShape& s, int64_t batch, std::span<const Addend> addends = {}) {
  const dnnl::memory::desc a = MatrixDesc(batch, s.m, s.k, s.transpose_a), b = MatrixDesc(batch, s.k, s.n, s.transpose_b),
                           c = MatrixDesc(batch, s.m, s.n, false);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  std::vector<OnednnArgument> args = {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c, true}};
  dnnl::post_ops additions;
  for (size_t i = 0; i < addends.size(); ++i) {
    const dnnl::memory::desc desc = MatrixDesc(1, addends[i].per_channel ? 1 : s.m, s.n, false);
    additions.append_binary(dnnl::algorithm::binary_add, desc);
    args.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1, desc, false, true});
  }
  attr.set_post_ops(additions);
  const dnnl::matmul::primitive_desc desc({a, b, c}, attr, OnednnEngine());
  return std::make_unique<OnednnPrimitive>(desc, dnnl::matmul(desc), std::move(args));
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

absl::StatusOr<bool> AddingGemm(KernelCall& call, const GemmShape& s, const float* a, const float* b, float* c,
                                std::span<const Addend> addends) {
  if (IsSmallGemm(s)) return false;
  PrimitiveKey key(PrimitiveKind::kMatMulAdd, OnednnThreads(MatMulSumSplit()));
  key.Add(s.m, s.k, s.n, s.transpose_a, s.transpose_b);
  for (const Addend& addend : addends) key.Add(addend.per_channel);
  const auto make = [&] {
    return ExactOrNull([&](std::span<const Addend> with) { return MakeMatMul(s, 1, with); },
                       {.x = s.m * s.k, .w = s.k * s.n, .y = s.m * s.n, .channels = s.n}, addends);
  };
  ASSIGN_OR_RETURN(OnednnPrimitive * primitive, CachedPrimitive(call, key, make));
  return ExecuteAdding(call.schema.name(), primitive, a, b, c, addends);
}

}  // namespace tandem
