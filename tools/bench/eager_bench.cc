#include <dnnl.hpp>

#include "core/kernel.h"
#include "core/parallel.h"
#include "kernels/vector/elementwise.h"
#include "tandem.h"
#include "tools/bench/bench.h"

namespace tandem::bench {
namespace {

Tensor Filled(const Shape& shape, float value) {
  std::vector<float> v(*shape.num_elements(), value);
  for (size_t i = 0; i < v.size(); ++i) v[i] += static_cast<float>(i % 13) * 0.125f;
  return Tensor::FromData<float>(shape, v);
}

Measured Add2x2() {
  const Tensor a = Filled({2, 2}, 1), b = Filled({2, 2}, 2);
  const DenseFn add = GetCpuKernel(Op<"AddV2">()).dense[static_cast<int>(kFloat32)];
  return Compare([&] { Tensor c = a + b; },
                 [&] {
                   TensorRep* c = NewRepLike(*a.rep(), kFloat32);
                   add(a.rep()->data, b.rep()->data, c->data, 4);
                   Unref(c);
                 });
}

Measured AddScalar() {
  const Tensor a = Filled({2, 2}, 1), b = Filled({2, 2}, 2);
  return Compare([&] { Tensor c = a + 2.5; }, [&] { Tensor c = a + b; });
}

Measured Add1M() {
  SetNumThreads(1);
  const Tensor a = Filled({1 << 20}, 1), b = Filled({1 << 20}, 2), out = Filled({1 << 20}, 0);
  const DenseFn add = FindDense(VecOp::kAdd, VecType::kF32);
  const Measured m = Compare([&] { Tensor c = a + b; }, [&] { add(a.rep()->data, b.rep()->data, out.rep()->data, 1 << 20); });
  SetNumThreads(0);
  return m;
}

Measured MatMul512() {
  SetNumThreads(1);
  ThreadBudget one(1);
  constexpr int64_t n = 512;
  const Tensor a = Filled({n, n}, 0.5f), b = Filled({n, n}, 0.25f);
  std::vector<float> out(n * n);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const dnnl::memory::desc desc({n, n}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
  const dnnl::matmul matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(desc, desc, desc), engine));
  const dnnl::memory ma(desc, engine, a.rep()->data), mb(desc, engine, b.rep()->data), mc(desc, engine, out.data());
  const Measured m = Compare([&] { Tensor c = MatMul(a, b); },
                             [&] {
                               matmul.execute(stream, {{DNNL_ARG_SRC, ma}, {DNNL_ARG_WEIGHTS, mb}, {DNNL_ARG_DST, mc}});
                               stream.wait();
                             });
  SetNumThreads(0);
  return m;
}

}  // namespace

std::vector<Bench> EagerBenches() {
  return {
      {"eager_add_2x2", "a + b, float32[2,2] / pooled output and one indirect call", 3.5, Add2x2, true},
      {"eager_add_scalar", "a + 2.5 / a + b, float32[2,2]", 2.2, AddScalar, true},
      {"eager_add_1m", "a + b, float32[1048576], one thread / Highway loop over warm buffers", 1.15, Add1M},
      {"eager_matmul_512", "MatMul 512x512, one thread / the oneDNN call it makes", 1.05, MatMul512},
  };
}

}  // namespace tandem::bench
